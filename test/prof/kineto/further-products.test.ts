/** Work of ops that launch several products, by what the trace's JSON says of their kernels. */
import { expect } from 'chai';
import {
  correlationOf,
  fileOf,
  groupBy,
  isKernel,
  opsAround,
  rawTraceOf,
  rowsOf,
  type RawTrace,
} from '../../support/kineto.js';
import { itShared } from '../../support/shared.js';

/** Correlation ids of the launches inside an op. */
function launchedIn(trace: RawTrace, op: string): Set<unknown> {
  const inside = [...opsAround(trace)].filter(([, ops]) => ops.some(({ name }) => name === op));
  return new Set(inside.map(([call]) => correlationOf(call)));
}

describe('work of an op with several products', () => {
  itShared('moe_forward: none of its kernels is known', [fileOf('b200_rank0of8')], async () => {
    const trace = rawTraceOf('b200_rank0of8');
    const inside = launchedIn(trace, 'vllm::moe_forward');
    const expected = trace.traceEvents.filter((event) => isKernel(event) && inside.has(correlationOf(event)));
    // 36 layers with 7 kernels each.
    expect(expected).to.have.lengthOf(252);
    const byId = groupBy(expected, correlationOf);
    const rows = (await rowsOf('b200_rank0of8')).filter(({ record }) => byId.has(record.corr));
    expect(rows).to.have.lengthOf(252);
    for (const { flops, bytes, reason } of rows) {
      expect([flops, bytes, reason]).to.deep.equal([null, null, "the experts' weights are not among the arguments"]);
    }
    // Both products of each layer use the tensor cores.
    const products = rows.filter(({ record }) => record.name.startsWith('bmm_'));
    expect(products.map(({ role, tc }) => `${role ?? 'na'} ${tc ?? 'na'}`)).to.deep.equal(Array(72).fill('main 1'));
  });

  itShared('an epilogue has none of its product', [fileOf('a100_rank3of8_training')], async () => {
    const rows = await rowsOf('a100_rank3of8_training');
    const epilogues = rows.filter(({ record }) => record.name.startsWith('void epilogue::impl::globalKernel'));
    const raw = rawTraceOf('a100_rank3of8_training').traceEvents;
    expect(epilogues).to.have.lengthOf(
      raw.filter(({ name }) => name.startsWith('void epilogue::impl::globalKernel')).length,
    );
    expect(epilogues.length).to.be.greaterThan(0);
    for (const { role } of epilogues) expect(role).to.be.oneOf(['helper', 'bias']);
  });
});
