// Moves every control of every form, one at a time, each after the page has come to rest, and times it from the event to the changed slots.
async count => {
  const {bench, explainer} = window;
  const rest = async () => {
    await explainer.update();
    for (let frame = 0; frame < 3; frame++) await new Promise(resolve => requestAnimationFrame(resolve));
    await new Promise(resolve => setTimeout(resolve)); // after the frame is painted
  };

  /** Sets every control to its default, by the address; hashchange comes in a later task. */
  const asBuilt = async () => {
    for (const hash of ['', '#v2&']) {
      if (location.hash === hash) continue;
      const arrived = new Promise(resolve => addEventListener('hashchange', resolve, {once: true}));
      location.hash = hash;
      await arrived;
    }
    await rest();
  };

  /** @type {(() => void) | null} */
  let changed = null;
  const slots = new MutationObserver(() => changed?.());
  for (const slot of document.querySelectorAll('[data-slot]')) slots.observe(slot, {childList: true, characterData: true, subtree: true});

  /** Fires the event of one move and times it until the slots have changed; null if no slot changes. */
  const timed = async event => {
    bench.trips.length = 0;
    let at = null;
    changed = () => { at ??= performance.now(); };
    const start = performance.now();
    event();
    const sent = performance.now();
    for (let waited = 0; at === null && waited < 100; waited++) {
      await new Promise(resolve => setTimeout(resolve, waited < 20 ? 1 : 10));
      if (waited > 10 && bench.trips[0]?.length > 1 && performance.now() - bench.trips[0][1] > 200) break; // answered, and no slot changed
    }
    changed = null;
    if (at === null) return null;
    const [asked, answered] = bench.trips[0];
    return {whole: at - start, collect: asked - start, python: answered - asked, write: at - answered, handler: sent - start};
  };
  const fire = (element, type) => element.dispatchEvent(new Event(type, {bubbles: true}));

  await new Promise(resolve => setTimeout(resolve, 4000)); // a reader reads before they move anything
  const moved = {};
  for (const part of document.querySelectorAll('form.kv-controls [data-control]')) {
    const range = part.querySelector('.kv-range'), select = part.querySelector('select[name]');
    const radios = [...part.querySelectorAll('input[type="radio"][name]')];
    const name = (select ?? radios[0] ?? part.querySelector('input[name]'))?.name;
    if (!name || !(range || select || radios.length)) continue;
    await asBuilt();
    const times = [];
    let unchanged = 0;
    const keep = time => { if (time) times.push(time); else unchanged += 1; };
    for (let step = 0; step < count; step++) {
      if (range) {
        if (range.disabled) break;
        const last = Number(range.max), stride = Math.max(1, Math.floor(last / count));
        keep(await timed(() => {
          range.value = String((Number(range.value) + stride) % (last + 1));
          fire(range, 'input');
        }));
        if (step % 8 === 7) fire(range, 'change');
      } else if (select) {
        const options = [...select.options].filter(option => !option.hidden && !option.disabled);
        const at = options.findIndex(option => option.selected);
        keep(await timed(() => {
          select.value = options[(at + 1) % options.length].value;
          fire(select, 'input');
          fire(select, 'change');
        }));
      } else {
        const at = radios.findIndex(radio => radio.checked);
        keep(await timed(() => {
          const radio = radios[(at + 1) % radios.length];
          radio.checked = true;
          fire(radio, 'input');
          fire(radio, 'change');
        }));
      }
      await rest();
    }
    if (range) fire(range, 'change');
    await rest();
    moved[name] = {times, unchanged};
  }
  slots.disconnect();
  return {moved, most: bench.most};
}
