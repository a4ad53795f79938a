// Runs in every page of the bench before the page's own scripts; contenders.py defines GIVEN = {request, expected} before it.
// On every page, window.bench.done resolves when a control was moved and the page shows the right answer.
if (window === top && location.protocol.startsWith('http')) {
  const bench = window.bench = {request: GIVEN.request, tasks: [], paints: {}, largest: 0, shift: 0, flying: 0, most: 0, trips: []};
  const watch = (type, take) => new PerformanceObserver(list => list.getEntries().forEach(take)).observe({type, buffered: true});
  watch('longtask', ({startTime, duration}) => bench.tasks.push([startTime, duration]));
  watch('paint', ({name, startTime}) => { bench.paints[name] = startTime; });
  watch('largest-contentful-paint', ({startTime}) => { bench.largest = startTime; });
  watch('layout-shift', ({value}) => { bench.shift += value; });

  // Records when our page asks its worker something, and how many requests are in flight at once.
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      bench.started ??= performance.now();
      this.addEventListener('message', ({data}) => {
        if (typeof data !== 'string') return;
        bench.flying -= 1;
        bench.trips.at(-1)?.push(performance.now());
      });
    }
    postMessage(data, ...rest) {
      if (typeof data === 'string') {
        bench.most = Math.max(bench.most, bench.flying += 1);
        bench.trips.push([performance.now()]);
      }
      super.postMessage(data, ...rest);
    }
  };

  const finish = () => {
    const shown = document.querySelector('[data-slot="lab.cache_total"] data')?.value;
    if (shown !== GIVEN.expected) throw new Error(`the page shows ${shown}, not ${GIVEN.expected}`);
    return performance.now();
  };
  const measured = answer => ({
    answer, started: bench.started ?? 0, tasks: bench.tasks, shift: bench.shift,
    first: bench.paints['first-contentful-paint'] ?? 0, largest: bench.largest,
  });
  // The browser reports long tasks a moment after they end.
  const later = (answer, milliseconds = 100) => new Promise(resolve => setTimeout(() => resolve(measured(answer)), milliseconds));

  let shown;
  const answered = new Promise((resolve, reject) => { shown = {resolve, reject}; });
  addEventListener('error', ({message}) => shown.reject(new Error(message)));
  addEventListener('unhandledrejection', ({reason}) => shown.reject(reason));

  // The other pages call this with their answer; it writes every slot, as our page does.
  bench.show = text => {
    try {
      const main = document.querySelector('main');
      for (const [name, html] of Object.entries(JSON.parse(text).slots)) {
        const slot = document.createElement('div');
        slot.dataset.slot = name;
        slot.innerHTML = html;
        main.append(slot);
      }
      shown.resolve(later(finish()));
    } catch (error) {
      shown.reject(error);
    }
  };

  const ours = async () => {
    const {rung} = await window.explainer.ready;
    if (rung !== 'delta') throw new Error(`Python was started by "${rung}", not by "delta"`);
    const box = document.querySelector('#lab [name="batch"]');
    box.value = JSON.parse(GIVEN.request).batch;
    box.dispatchEvent(new Event('input', {bubbles: true}));
    box.dispatchEvent(new Event('change', {bubbles: true}));
    const answer = await new Promise(resolve => {
      const slot = document.querySelector('[data-slot="lab.cache_total"]');
      new MutationObserver(() => resolve(finish())).observe(slot, {childList: true});
    });
    await window.explainer.update();
    return later(answer);
  };
  // Our page's script has not run yet: it sets window.explainer once the document is parsed.
  let explainer;
  Object.defineProperty(window, 'explainer', {
    get: () => explainer,
    set(given) {
      explainer = given;
      ours().then(shown.resolve, shown.reject);
    },
  });
  if (location.pathname.includes('/still/')) addEventListener('load', () => shown.resolve(later(0, 1000)));
  bench.done = answered;
  bench.done.catch(() => {});
}
