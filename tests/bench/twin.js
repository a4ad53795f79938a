// The cliff chart of Llama-3 70B at 8,192 tokens for any batch, as kvcore draws it, to the character: its floor.
// Written by hand, for the bench alone; the site has no such thing, and no number is computed twice on it.
(() => {
  const PER_TOKEN = 327680, WEIGHTS = 141107412992, GPU = 81559 * 2 ** 20, CONTEXT = 8192, FIRST = 1024;
  const LADDER = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
  const WIDTH = 508, HEIGHT = 312, LEFT = 72, TOP = 14, END = 580, FLOOR = 326, STEP = WIDTH / 60;
  const SAMPLES = Array.from({length: 61}, (_, index) => Math.round(FIRST * 2 ** (index / 6)));
  const UNITS = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB']];

  // Python rounds a tie to the even digit.
  const one = x => {
    if (!Number.isInteger(x * 4) || Number.isInteger(x * 2)) return x.toFixed(1);
    const low = Math.floor(x * 10);
    return ((low % 2 ? low + 1 : low) / 10).toFixed(1);
  };
  const number = x => {
    const text = one(x).replace(/\.0$/, '');
    return text === '-0' ? '0' : text;
  };
  const grouped = count => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
  const sequences = count => count === 1 ? '1 sequence' : `${grouped(count)} sequences`;
  const wide = c => 'ijl.,:;\'|! ftr()-'.includes(c) ? 0.38 : 'mwMW%\u00d7'.includes(c) ? 0.92 : c >= 'A' && c <= 'Z' ? 0.72 : 0.63;
  const textWidth = (text, bold) => [...text].reduce((sum, c) => sum + wide(c), 0) * 13 * (bold ? 1.08 : 1);
  const text = (words, kind, x, y, anchor = 'start') =>
    `<text class="${kind}" x="${number(x)}" y="${number(y)}"${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${words.replace('\u00d7', '&#215;')}</text>`;

  const roundUp = size => {
    const [unit] = UNITS.find(([bytes]) => size >= bytes), value = size / unit, power = 10 ** Math.floor(Math.log10(value));
    const rounded = power * LADDER.find(rung => value <= rung * power * (1 + 1e-9));
    return unit * (rounded < 1000 ? rounded : Math.max(rounded, 1024));
  };

  const contextX = context => LEFT + WIDTH * (context <= FIRST ? 0 : Math.min(1, Math.log2(context / FIRST) / 10));

  const pointsOf = (perToken, batch, top) => {
    const perByte = HEIGHT / top, ceiling = TOP - 0.3 * HEIGHT, points = [];
    for (let index = 0; index < 61; index++) {
      const x = LEFT + STEP * index, y = FLOOR - batch * perToken * SAMPLES[index] * perByte;
      if (y < ceiling && points.length) {
        const [x0, y0] = points.at(-1);
        points.push([x0 + (x - x0) * (y0 - ceiling) / (y0 - y), ceiling]);
        break;
      }
      points.push([x, Math.max(ceiling, y)]);
    }
    return points;
  };
  const pathOf = points => 'M' + points.map(([x, y]) => `${one(x - LEFT)},${one(y - TOP)}`).join('L');

  const placer = (uprights, levels, curves) => {
    const taken = [], texts = [];
    const crosses = (heights, [left, top, right, bottom]) => {
      const first = Math.trunc((left - LEFT) / STEP), last = heights.length - 1;
      if (first > last) return false;
      const end = Math.min(last, Math.trunc((right - LEFT) / STEP) + 1);
      return heights[Math.max(0, first)] > top - 2 && heights[end] < bottom + 2;
    };
    const costOf = (box, bound) => {
      let cost = 0;
      for (const [at, weight] of uprights) if (box[0] - 2 < at && at < box[2] + 2) cost += weight;
      for (const [at, weight] of levels) if (box[1] - 1 < at && at < box[3] + 1) cost += weight;
      for (const [heights, weight] of curves) {
        if (cost >= bound) break;
        if (crosses(heights, box)) cost += weight;
      }
      return cost;
    };
    const bestOf = (places, width, rows, bound) => {
      let best = null;
      const below = 4 + 16 * (rows - 1);
      for (const place of places) {
        const [x, y, anchor] = place;
        const left = (anchor === 'end' ? x - width : anchor === 'middle' ? x - width / 2 : x) - 2;
        const box = [left, y - 12, left + width + 4, y + below];
        if (box[0] < LEFT || box[2] > END || box[1] < TOP - 4 || box[3] > FLOOR - 1) continue;
        if (taken.some(other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
        const cost = costOf(box, bound);
        if (cost >= bound) continue;
        best = {cost, place, box};
        bound = cost;
        if (cost === 0) break;
      }
      return best;
    };
    const label = (wordings, kind, places, bold) => {
      let best = null;
      for (const [shorter, rows] of wordings.entries()) {
        const width = Math.max(...rows.map(row => textWidth(row, bold)));
        const found = bestOf(places, width, rows.length, best ? best.cost - 2 * shorter : Infinity);
        if (found) best = {...found, cost: found.cost + 2 * shorter, rows};
        if (best && best.cost <= 2 * (shorter + 1)) break;
      }
      if (!best) return;
      taken.push(best.box);
      const [x, y, anchor] = best.place;
      best.rows.forEach((row, index) => texts.push(text(row, kind, x, y + 16 * index, anchor)));
    };
    return {label, texts};
  };

  const grid = top => {
    const [unit, name] = UNITS.find(([bytes]) => Math.trunc(top) >= bytes), span = top / unit;
    const power = 10 ** (Math.floor(Math.log10(span)) - 1);
    const step = power * [1, 2, 5, 10, 20, 50, 100].find(step => span <= 5 * power * step);
    const count = Math.trunc(span / step + 1e-9), decimals = Number.isInteger(step) ? 0 : Number.isInteger(step * 10) ? 1 : 2;
    const ys = Array.from({length: count + 1}, (_, index) => TOP + HEIGHT * (1 - step * index * unit / top));
    const labels = ys.map((_, index) => index ? grouped((step * index).toFixed(decimals)) : '0');
    labels[count] += ` ${name}`;
    return `<path class="kv-grid" d="${ys.map(y => `M${LEFT},${number(y)}H${END}`).join('')}"/>`
      + ys.map((y, index) => text(labels[index], 'kv-tick', LEFT - 8, y + 4, 'end')).join('')
      + [10, 12, 14, 16, 18, 20].map(power => text(power < 20 ? `${2 ** (power - 10)}K` : '1M', 'kv-tick', contextX(2 ** power), FLOOR + 18, 'middle')).join('')
      + text('context of each sequence, tokens (1K = 1,024)', 'kv-axis', (LEFT + END) / 2, 364, 'middle');
  };

  const beside = x => Array.from({length: 13}, (_, row) => [[x - 8, 26 + 20 * row, 'end'], [x + 8, 26 + 20 * row, 'start']]).flat();
  const along = points => {
    const seen = points.filter(([, y]) => y >= TOP), places = [];
    for (let index = seen.length - 1; index > 0; index -= 3) {
      const [x, y] = seen[index];
      if (y < FLOOR - 24) places.push([x - 8, y + 4, 'end'], [x + 8, y + 14, 'start']);
    }
    for (let index = seen.length - 1; index >= 0; index -= 6) places.push([seen[index][0], seen[index][1] - 8, 'end'], [seen[index][0], seen[index][1] - 22, 'end']);
    return places;
  };

  return batch => {
    const cache = batch * PER_TOKEN * CONTEXT, cliff = Math.floor(Math.floor(WEIGHTS / batch) / PER_TOKEN) + 1;
    let need = Math.max(3.3 * WEIGHTS, 1.15 * cache);
    if (GPU < 2 * need) need = Math.max(need, 1.08 * GPU);
    const top = roundUp(need), yOf = size => TOP + HEIGHT * (1 - size / top);
    const weightsY = yOf(WEIGHTS), level = weightsY - TOP, hereX = contextX(CONTEXT), hereY = yOf(cache), cliffX = contextX(cliff);
    const gpus = [];
    let last = -Infinity;
    for (const count of [500, 200, 100, 50, 20, 10, 5, 2, 1]) {
      const y = yOf(count * GPU);
      if (count <= Math.trunc(top / GPU) && gpus.length < 8 && y - last >= 17 && y < FLOOR - 4) gpus.push([count, last = y]);
    }
    const main = pointsOf(PER_TOKEN, batch, top), mha = pointsOf(8 * PER_TOKEN, batch, top), mqa = pointsOf(PER_TOKEN / 8, batch, top);
    const curve = pathOf(main);

    const heights = points => points.map(([, y]) => y);
    const names = placer(
      [[hereX, 4], [cliffX, 4]],
      [[weightsY, 1], ...gpus.map(([, y]) => [y, 0.5])],
      [[heights(main), 3], [heights(mha), 2], [heights(mqa), 2]],
    );
    const steps = [...Array.from({length: 12}, (_, row) => -34 - 22 * row), ...Array.from({length: 8}, (_, row) => 24 + 22 * row)];
    const tokens = `${grouped(cliff)} tokens`;
    names.label([['the cache overtakes the', `weights at ${tokens}`], ['cache overtakes', 'weights at', tokens], ['the cliff:', grouped(cliff)]],
      'kv-cliff-name', steps.flatMap(step => [[cliffX - 10, weightsY + step, 'end'], [cliffX + 10, weightsY + step, 'start']]), true);
    names.label([['you are here: 8,192,', "the model's limit"], ['here: 8,192,', 'the limit']], 'kv-here-name', beside(hereX), true);
    const levels = [weightsY + 17, weightsY - 6];
    names.label([['weights 131.4 GiB']], 'kv-weights-name', [
      ...levels.flatMap(y => Array.from({length: 8}, (_, part) => [LEFT + 8 + WIDTH * part / 8, y, 'start'])),
      ...levels.map(y => [END - 4, y, 'end'])], true);
    names.label([['KV cache']], 'kv-cache-name', along(main), true);
    names.label([['if MHA']], 'kv-twin-name', along(mha), false);
    names.label([['if MQA']], 'kv-twin-name', along(mqa), false);

    return '<svg class="kv-svg kv-wide" viewBox="0 0 700 372" role="img" aria-label="'
      + `With ${sequences(batch)} the cache of Llama-3 70B overtakes its weights at ${tokens} a sequence.">${grid(top)}`
      + `<svg x="${LEFT}" y="${TOP}" overflow="hidden" width="${WIDTH}" height="${HEIGHT}">`
      + `<rect class="kv-weights" x="0" y="${number(level)}" width="${WIDTH}" height="${number(HEIGHT - level)}"/>`
      + `<path class="kv-twin" d="${pathOf(mha)}"/><path class="kv-twin" d="${pathOf(mqa)}"/>`
      + `<path class="kv-cache-area" d="${curve}H${WIDTH}V${HEIGHT}H0Z"/><path class="kv-weights-line" d="M0,${number(level)}H${WIDTH}"/>`
      + `<path class="kv-gpu" d="${gpus.map(([, y]) => `M0,${number(y - TOP)}H${WIDTH}`).join('')}"/><path class="kv-cache" d="${curve}"/></svg>`
      + `<path class="kv-cliff" d="M${number(cliffX)},${TOP}V${FLOOR}"/><path class="kv-here" d="M${number(hereX)},${TOP}V${FLOOR}"/>`
      + `<circle class="kv-cross" cx="${number(cliffX)}" cy="${number(weightsY)}" r="5"/>`
      + (hereY >= TOP ? `<circle class="kv-here-dot" cx="${number(hereX)}" cy="${number(hereY)}" r="5"/>` : '')
      + gpus.map(([count, y]) => text(`${grouped(count)} \u00d7 80 GB`, 'kv-gpu-name', END + 8, y + 4)).join('')
      + names.texts.join('').replaceAll("'", '&#39;') + '</svg>';
  };
})()
