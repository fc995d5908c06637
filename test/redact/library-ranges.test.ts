/** Ranges that libraries name themselves are kept, and no text with a secret passes for one. */
import { expect } from 'chai';
import { isLibraryRange, LIBRARY_RANGES } from '../../src/redact/library-ranges.js';
import { TextRules } from '../../src/redact/texts.js';
import { foundIn, Secrets } from '../support/secrets.js';

const redacted = (text: string): string =>
  new TextRules({ key: null, keep: new Set(), hashKernels: false }).redact('range', text);

/** Ranges as libraries write them, apart from the table of whole texts. */
const WRITTEN = [
  ...['nccl:all_reduce', 'nccl:recv 0<-1', 'nccl:send 0->1', 'nccl:_reduce_scatter_base', 'nccl:coalesced'],
  ...['gloo:broadcast', 'mpi:all_to_all', 'hccl:allreduce', 'xccl:all_gather', 'nccl:all_to_all, op_id = 5'],
  ...['ncclCommCount', 'ncclSend', 'HcclAllreduce', 'MPI_Send', 'MPI_Finalize', 'cublasGemmEx', 'cublasLtMatmul'],
  ...['cudnnConvolutionForward', 'hipMemcpy', 'hipLaunchKernel', 'aclnnMaxPool2dWithMask', 'aclnnDropoutGenMaskV2'],
  ...['myelinGraphExecute', 'nvte_cublas_gemm', 'nvte_layernorm_fwd', 'transformer_engine._Linear.forward.proj'],
  ...['transformer_engine.FusedAttnFunc.forward', 'megatron.core.transformer.mlp.MLP.forward.linear_fc1'],
  ...['input_transpose_fusion.3', 'wrapped_add', 'te_fused_attn_forward_ffi.1', 'cudnn-conv.2', 'custom-call.1'],
  ...['FSDP::root_pre_forward, op_id = 31', 'execute_diffusion_1_256x256', 'sglang::store_cache'],
];
const NAMES = Object.values(LIBRARY_RANGES)
  .flatMap((names) => names.split('|'))
  .map((name) => name.replaceAll('%', '2'));

describe('a range of a library', () => {
  for (const text of WRITTEN) it(`is kept: ${text}`, () => expect(redacted(text)).to.equal(text));

  it('is kept if it is in the table', () => {
    expect(NAMES).to.have.length.above(200);
    expect(NAMES.filter((text) => redacted(text) !== text)).to.deep.equal([]);
  });

  it('is one of the program if it has a longer number, another word or another case', () => {
    for (const text of ['nccl:alice', 'nccl:recv 0<-alice', 'gloo:alice_reduce', 'hipAlice', 'cudaMalloc alice'])
      expect(redacted(text)).to.not.match(/alice/i);
    for (const text of ['transformer_engine.alice', 'megatron.core.alice.MLP.forward', 'loop_alice_fusion.3'])
      expect(redacted(text)).to.not.match(/alice/i);
    expect(isLibraryRange('ExecutorDispatch::run12345')).to.equal(false);
    expect(isLibraryRange('12345678 all2all_data:kjt splits 12345678')).to.equal(false);
    expect(isLibraryRange('executorDispatch::run2')).to.equal(false);
    // Words of tools only, but no call of a library.
    for (const text of ['load_batch', 'forward', 'nv_load_batch']) expect(redacted(text)).to.match(/^range_/);
  });

  it('has places and names of functions in JAX replaced', () => {
    expect(redacted('api.py:12 alice')).to.equal('file-1.py:12 function_1');
    expect(redacted('PjitFunction(alice)')).to.equal('PjitFunction(function_1)');
    expect(redacted('PjitFunction(<lambda>)')).to.equal('PjitFunction(function-1)');
  });

  it('has no secret, wherever one stands in it', () => {
    const secrets = new Secrets();
    const left: string[] = [];
    for (const text of [...WRITTEN, ...NAMES]) {
      const middle = Math.floor(text.length / 2);
      const boundary = text.search(/[:._ ]/) + 1;
      for (const at of new Set([0, middle, boundary, text.length]))
        for (const separator of ['', '_', ' ', '.', '::'].slice(at % 5)) {
          const from = secrets.planted.length;
          const planted = `${text.slice(0, at)}${at === 0 ? '' : separator}${secrets.next()}${at === 0 ? separator : ''}${text.slice(at)}`; // prettier-ignore
          if (foundIn(Buffer.from(redacted(planted)), secrets.planted.slice(from)).length > 0) left.push(planted);
        }
    }
    expect(secrets.planted).to.have.length.above(3000);
    expect(left).to.deep.equal([]);
  });
});
