// A simple chart of memory over context: axes, tick labels, the cache's curve and area, the weights as a line, and their labels.
// It is what a page without Python could draw: the bench divides the time of kvcore's chart by the time of this one.
// The site does not use it, and it need not look like kvcore's chart or use its words.
(() => {
  const PER_TOKEN = 327_680, WEIGHTS = 141_107_412_992, GIB = 2 ** 30;      // Llama-3 70B: bytes a token, bytes of weights
  const WIDTH = 700, HEIGHT = 372, LEFT = 72, RIGHT = 580, TOP = 14, BOTTOM = 326;
  const FIRST = 1024, DOUBLINGS = 10, SAMPLES = 61;
  const contexts = Array.from({length: SAMPLES}, (_, index) => FIRST * 2 ** (index * DOUBLINGS / (SAMPLES - 1)));

  const xOf = context => LEFT + (RIGHT - LEFT) * Math.log2(context / FIRST) / DOUBLINGS;
  const grouped = count => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
  const text = (words, x, y, anchor = 'start') => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;

  /** The step between ticks, 1, 2 or 5 times a power of ten, such that there are at most five. */
  const stepFor = top => {
    const power = 10 ** Math.floor(Math.log10(top / 5));
    return power * [1, 2, 5, 10].find(factor => top / (factor * power) <= 5);
  };

  return batch => {
    const top = Math.max(3 * WEIGHTS, 1.2 * batch * PER_TOKEN * 8192);
    const yOf = bytes => BOTTOM - (BOTTOM - TOP) * bytes / top;
    const step = stepFor(top / GIB), ticks = Array.from({length: Math.floor(top / GIB / step) + 1}, (_, index) => index * step);
    const points = contexts.map(context => [xOf(context), Math.max(TOP, yOf(batch * PER_TOKEN * context))]);
    const curve = 'M' + points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join('L');
    const crossing = WEIGHTS / (batch * PER_TOKEN);
    const crossingX = Math.min(RIGHT, Math.max(LEFT, xOf(crossing)));

    return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Cache of ${batch} sequences and weights over context">`
      + `<path d="${ticks.map(tick => `M${LEFT},${yOf(tick * GIB).toFixed(1)}H${RIGHT}`).join('')}"/>`
      + ticks.map(tick => text(`${tick} GiB`, LEFT - 8, yOf(tick * GIB) + 4, 'end')).join('')
      + contexts.filter((_, index) => index % 12 === 0).map(context => text(`${context / FIRST}K`, xOf(context), BOTTOM + 18, 'middle')).join('')
      + text('tokens', (LEFT + RIGHT) / 2, HEIGHT - 8, 'middle')
      + `<path d="${curve}V${BOTTOM}H${LEFT}Z"/><path d="${curve}"/>`
      + `<path d="M${LEFT},${yOf(WEIGHTS).toFixed(1)}H${RIGHT}"/>`
      + `<circle cx="${crossingX.toFixed(1)}" cy="${yOf(WEIGHTS).toFixed(1)}" r="5"/>`
      + text('weights', LEFT + 8, yOf(WEIGHTS) - 6)
      + text(`crossing: ${grouped(Math.ceil(crossing))} tokens`, crossingX, yOf(WEIGHTS) - 22, 'middle')
      + text('cache', points[40][0] - 8, points[40][1], 'end')
      + '</svg>';
  };
})()
