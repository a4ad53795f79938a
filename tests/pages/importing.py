"""A model that a reader imports: its config.json, and the ways to give it to the page."""

from playwright.sync_api import Page

from tests.pages.actions import updated

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": False,
    "hidden_act": "silu",
}
"""As Llama-3 8B: 2 x 32 layers x 8 KV heads x 128 x 2 B = 131,072 B a token, and 8,030,261,248 parameters."""

_DROP = """text => {
  const data = new DataTransfer();
  data.items.add(new File([text], 'config.json', {type: 'application/json'}));
  const frame = document.getElementById('kv-import');
  for (const type of ['dragover', 'drop']) frame.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


def unfold(page: Page) -> None:
    """Open the part of the page where models are imported."""
    if page.locator("#kv-import").get_attribute("open") is None:
        page.locator("#kv-import summary").click()


def paste(page: Page, text: str) -> None:
    """Paste a config, ask for it to be used, and wait for the page."""
    unfold(page)
    page.locator("#kv-config-text").evaluate("(area, text) => { area.value = text; }", text)
    page.locator("#kv-config-use").click()
    updated(page)


def drop(page: Page, text: str) -> None:
    """Drop a file with this text where models are imported."""
    page.evaluate(_DROP, text)
