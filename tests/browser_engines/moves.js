// What every engine is asked to do once the page is open: wait for Python, say what is there; then, the slider having been
// moved by a key, wait for the answer and say what is there now. Bodies of functions, so that every driver can run them.
const before = async () => {
  const {rung} = await window.explainer.ready;
  document.querySelector('#lab input[type="range"][data-for="batch"]').focus();
  return {rung, failures: window.explainer.boot?.failures ?? [], agent: navigator.userAgent};
};

const after = async () => {
  await window.explainer.update();
  const value = slot => Number(document.querySelector(`[data-slot="${slot}"] data`).value);
  return {
    batch: Number(document.querySelector('#lab [name="batch"]').value), total: value('lab.cache_total'), ratio: value('lab.ratio'),
  };
};
