/** Attention of real servers: the call as the graph's capture has it, the lengths as the name of the replayed step has them. */
import { expect } from 'chai';
import type { Arg, OpCall } from '../../../src/record/record.js';
import { fileOf, rawTraceOf, rowsOf } from '../../support/kineto.js';
import { kernel } from '../../support/kernels.js';
import { annotate, cellsOf } from '../../support/rows.js';
import { itShared } from '../../support/shared.js';

const DTYPES: Readonly<Record<string, string>> = {
  'c10::BFloat16': 'bfloat16',
  'unsigned char': 'uint8',
  int: 'int32',
};

/** The first call of an op, by JSON.parse. */
function callIn(trace: string, name: string): OpCall {
  const found = rawTraceOf(trace).traceEvents.find((event) => event.cat === 'cpu_op' && event.name === name);
  const inputs = found?.args ?? {};
  const shapes = inputs['Input Dims'] as number[][];
  const args = (inputs['Input type'] as string[]).map((type, i): Arg => {
    if (type === '') return { name: '', type: 'unknown' };
    return { name: '', type: 'tensor', shape: shapes[i] ?? [], dtype: DTYPES[type] ?? 'float32' };
  });
  const [mod = '', op = ''] = name.split('::');
  return { mod, op, args, from: 'dispatcher' };
}

const stepIn = (trace: string): string =>
  rawTraceOf(trace).traceEvents.find(({ name }) => name.startsWith('execute_'))?.name ?? '';

const replayed = (call: OpCall, ranges: readonly string[]) => {
  const record = kernel({ calls: [call], ranges, name: 'attention', short: 'attention', dir: null });
  const [row] = annotate([record]);
  return row === undefined ? null : { ...cellsOf(row, 'flops,bytes,params'), reason: row.reason };
};

describe("attention of servers by the lengths in their steps' names", () => {
  const sglang = ['graphs/sglang_decode.capture', 'mi300_hipgraph_decode'] as const;
  itShared('SGLang: 32 tokens on 32785 keys, 32 and 8 heads of 128', sglang.map(fileOf), () => {
    const call = callIn(sglang[0], 'sglang_profiler::attention_paged_attention_ragged_100');
    // 2·32·(128 + 128)·32785; (32·32 + 32785·8)·(128 + 128) of 2 bytes
    expect(replayed(call, [stepIn(sglang[1]), 'step[DECODE bs=32]'])).to.deep.equal({
      ...{ flops: '537149440', bytes: '134811648' },
      ...{ params: 'B=32,Tq=32,Tk=32785,Hq=32,Hk=8,Dq=128,Dv=128,bf16,', reason: null },
    });
    expect(replayed(call, ['step[DECODE bs=32]'])).to.include({ flops: 'na', bytes: 'na' });
  });

  const vllm = ['graphs/vllm_decode.capture', 'graphs/vllm_decode.replay'] as const;
  itShared('vLLM: 32 tokens on 55086 keys, 64 and 8 heads of 64', vllm.map(fileOf), () => {
    const call = callIn(vllm[0], 'vllm::unified_attention_with_output');
    const found = replayed(call, [stepIn(vllm[1])]);
    // 2·64·(64 + 64)·55086; half of the layers have a sliding window, which no argument says: their kernel would read
    // (32·64 + 55086·8)·(64 + 64) of 2 bytes at 8.4 TB/s
    expect(found).to.include({ flops: '902529024', bytes: 'na' });
    expect(found?.reason).to.match(/sliding window.*; 113340416 bytes without a window/);
  });

  const prefill = 'graphs/sglang_prefill_paged';
  itShared('SGLang: 15 whole prompts of 1024, as by the arguments alone', [fileOf(prefill)], async () => {
    const rows = (await rowsOf(prefill)).filter(({ record }) => record.calls.at(-1)?.op === 'mha_batch_prefill');
    expect(rows).to.have.length(36);
    for (const row of rows) {
      // 2·32·256·15·1024²; (15360·32 + 15360·8)·256 of 2 bytes
      expect(row.serving?.lengths?.pairs).to.equal(15 * 1024 ** 2);
      expect(cellsOf(row, 'flops,bytes')).to.deep.equal({ flops: '257698037760', bytes: '314572800' });
    }
  });
});
