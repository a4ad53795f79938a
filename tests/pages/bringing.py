"""A model that a reader brings: its config.json, and how it is dropped on the page."""

from playwright.sync_api import Page

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


def drop(page: Page, text: str) -> None:
    """Drop a file with this text where models are brought."""
    page.evaluate(_DROP, text)
