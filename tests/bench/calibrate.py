"""How much slower the slowed pages are: the same loop, on the page's main thread and in a worker, with and without."""

import statistics

from tests.bench import duty, visits

_LOOP = """async () => {
  const spin = () => {
    const start = performance.now();
    let sum = 0;
    for (let i = 0; i < 6e7; i++) sum = (sum + i) % 1000003;
    return [performance.now() - start, sum];
  };
  const script = new Blob([`onmessage = () => postMessage((${spin})())`], {type: 'text/javascript'});
  const worker = new Worker(URL.createObjectURL(script));
  const there = () => new Promise(resolve => { worker.onmessage = ({data}) => resolve(data[0]); worker.postMessage(0); });
  await there();
  spin();
  const times = [[], []];
  for (let round = 0; round < 5; round++) {
    times[0].push(spin()[0]);
    times[1].push(await there());
  }
  return times;
}"""


def slowdown(stage: visits.Stage) -> tuple[float, float]:
    """The factor on the main thread, and the one in a worker."""
    with visits.reader(stage) as (context, process):
        page = context.pages[0]
        full = [statistics.median(times) for times in page.evaluate(_LOOP)]
        with duty.slowed(process):
            slow = [statistics.median(times) for times in page.evaluate(_LOOP)]
    return slow[0] / full[0], slow[1] / full[1]
