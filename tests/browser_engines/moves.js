// What every engine is asked to do once the page is open: wait for Python, say what is there; then, the slider having been
// moved by a key, wait for the answer and say what is there now. Bodies of functions, so that every driver can run them.

// What the addresses under ?probe= answer to the worker: test_browser_engines.py has a site whose worker tells it.
const probed = addresses => new Promise(resolve => {
  const channel = new BroadcastChannel('probe');
  channel.onmessage = ({data}) => resolve(data);
  channel.postMessage(addresses);
});

const before = async () => {
  const {rung} = await window.explainer.ready;
  document.querySelector('#lab input[type="range"][data-for="batch"]').focus();
  const addresses = new URLSearchParams(location.search).getAll('probe');
  return {
    rung, failures: window.explainer.boot?.failures ?? [], agent: navigator.userAgent,
    probed: addresses.length ? await probed(addresses) : [],
  };
};

const after = async () => {
  await window.explainer.update();
  const value = slot => Number(document.querySelector(`[data-slot="${slot}"] data`).value);
  return {
    batch: Number(document.querySelector('#lab [name="batch"]').value), total: value('lab.cache_total'), ratio: value('lab.ratio'),
  };
};
