"""Measures how much slower a slowed page is: one loop, on the main thread and in a worker, at full speed and slowed."""

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
  const spinInWorker = () => new Promise(resolve => { worker.onmessage = ({data}) => resolve(data[0]); worker.postMessage(0); });
  await spinInWorker();
  spin();
  const times = [[], []];
  for (let round = 0; round < 5; round++) {
    times[0].push(spin()[0]);
    times[1].push(await spinInWorker());
  }
  return times;
}"""


def slowdown(stage: visits.Stage) -> tuple[float, float]:
    """The factors by which the main thread and a worker are slowed."""
    with visits.reader(stage) as (context, process):
        page = context.pages[0]
        full = [statistics.median(times) for times in page.evaluate(_LOOP)]
        with duty.slowed(process):
            slow = [statistics.median(times) for times in page.evaluate(_LOOP)]
    return slow[0] / full[0], slow[1] / full[1]
