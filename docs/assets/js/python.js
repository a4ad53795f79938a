/** The worker that runs Python, behind two promises, so that it can be started again without anyone noticing. */

/**
 * @param {URL} script
 * @param {(error: unknown) => void} died called when the worker breaks after it was ready
 * @returns {{ready: Promise<string>, ask: import('./types').Ask, stop: () => void}}
 */
export function connect(script, died) {
  const worker = new Worker(script);
  /** @type {((answer: string) => void) | null} */
  let answered = null;
  let up = false;

  /** @type {Promise<string>} */
  const ready = new Promise((resolve, reject) => {
    /** @param {unknown} error */
    const broke = error => {
      worker.terminate();
      if (up) died(error);
      reject(error);
    };
    worker.onerror = event => {
      event.preventDefault();
      broke(new Error(event.message || script.pathname));
    };
    worker.onmessage = ({ data }) => {
      if (typeof data === 'string') answered?.(data);
      else if (data.error) broke(new Error(data.error));
      else if (data.rung) {
        up = true;
        resolve(data.rung);
      }
    };
  });

  return {
    ready,
    ask: request => new Promise(resolve => {
      answered = resolve;
      worker.postMessage(request);
    }),
    stop: () => worker.terminate(),
  };
}
