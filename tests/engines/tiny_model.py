"""Writes a language model with random weights, which prefers no output."""

import gguf
import numpy

BYTE_OFFSET = 3
"""The token of a byte is the byte plus this offset: the unknown, the first and the last token come before."""

LAST = 2
"""The token that ends a reply."""


def write(path):
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    kinds = [gguf.TokenType.UNKNOWN] + [gguf.TokenType.CONTROL] * 2 + [gguf.TokenType.BYTE] * 256
    width, heads = 32, 2
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(32768)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(width)
    writer.add_block_count(1)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_rope_dimension_count(width // heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(LAST)
    writer.add_add_space_prefix(False)
    random = numpy.random.default_rng(1)
    for name in ["token_embd", "output"]:
        writer.add_tensor(f"{name}.weight", weights(random, len(tokens), width))
    for name in ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]:
        writer.add_tensor(f"blk.0.{name}.weight", weights(random, width, width))
    for name in ["blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"]:
        writer.add_tensor(f"{name}.weight", numpy.ones(width, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def weights(random, *shape):
    return (random.standard_normal(shape) * 0.02).astype(numpy.float32)
