"""What Hugging Face transformers' own models say about configs, written into a file that kvcore is tested against.

`make oracle` makes an environment with torch and transformers (several gigabytes, so no other command needs it), builds
thousands of small models there, and writes tests/kvcore/oracle.jsonl. tests/kvcore/test_transformers_oracle.py compares
kvcore with that file wherever the tests run.

    command      the command: the environment, the processes, the file
    ask          all questions about one model_type, and their answers
    small        a small config of each model_type
    variants     changes of one config: fields left out, null, zero, doubled, flipped
    by_hand      changes of several fields together: rules for windows, flags that need each other
    nested       configs with a text_config, and where they say that embeddings are tied
    models       transformers' model for a config
    parameters   its parameters, counted
    caches       its cache, measured after a run on the processor
    rows         the file: how answers and configs are written
    spoiled      real configs with one field spoiled, where kvcore and transformers are compared at once
"""
