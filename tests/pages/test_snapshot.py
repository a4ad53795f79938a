"""The restored snapshot answers every request as CPython does, and without importing: it has nothing to import from."""

import json

from kvcore.page import update
from site_hooks.scenarios import exchange
from tests.pages.actions import OpenPage

REPLAY = """async requests => {
  const folder = document.querySelector('meta[name="explainer-runtime"]').content;
  const runtime = new URL(folder, document.baseURI);
  const head = `self.explainerRuntime = ${JSON.stringify(runtime.href)};`;
  const script = await (await fetch(new URL('worker.js', runtime))).blob();
  const worker = new Worker(URL.createObjectURL(new Blob([head, script])), {name: 'delta'});
  const heard = [];
  const next = test => new Promise(resolve => {
    worker.onmessage = ({data}) => { if (test(data)) resolve(data); };
  });
  await next(data => data.rung);
  for (const request of requests) {
    worker.postMessage(request);
    heard.push(await next(data => typeof data === 'string' || data.error));
  }
  worker.terminate();
  return heard;
}"""


def test_the_snapshot_answers_every_scenario_as_cpython_does(open_page: OpenPage) -> None:
    told = list(exchange(update))
    heard = open_page(ready=False).evaluate(REPLAY, [request for request, _ in told])
    assert len(heard) == len(told) > len(json.loads(update("{}"))["controls"]) * 10
    for answer, (request, expected) in zip(heard, told, strict=True):
        assert answer == expected, request[:300]
