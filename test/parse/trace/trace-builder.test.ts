import { expect } from 'chai';
import { TraceBuilder, type KernelRow, type TraceFacts } from '../../../src/parse/trace/trace-builder.js';
import { completeKernel } from '../../../src/record/fields/record-fields.js';
import type { KernelRecord, ProfileLine } from '../../../src/record/record.js';

const FACTS: TraceFacts = { format: 'made', tool: null, device: { vendor: 'made' } };
const OPTIONS = { profile: 0, file: 'x', rank: null, ranges: true } as const;

const recordsOf = (trace: TraceBuilder, facts = FACTS): ProfileLine[] => [...trace.records(facts, OPTIONS)];
const kernelsIn = (records: readonly ProfileLine[]): KernelRecord[] =>
  records.filter((record) => record.type === 'kernel').map(completeKernel);

/** A kernel of 2 ns, launched by the call with the id 1. */
const kernel = (cells: Partial<KernelRow> = {}): KernelRow => ({
  start: 10,
  end: 12,
  device: 0,
  corr: 1,
  name: 'k',
  ...cells,
});
const CALL = { start: 1, end: 3, pid: 70, tid: 71, name: 'launch', corr: 1 } as const;

describe('TraceBuilder', () => {
  it('gives the records of rows, from the first time on', () => {
    const trace = new TraceBuilder();
    trace.origin(1_000_000n);
    trace.kernel(kernel({ grid: [4, 2, 1], block: [64, 1, 1], stream: 3 }));
    trace.call(CALL);
    const [header, ...records] = recordsOf(trace);
    expect(header).to.deep.include({ startUnixNs: '1000001', dur: 11 });
    expect(kernelsIn(records)).to.have.length(1);
    expect(kernelsIn(records)[0]).to.deep.include({ name: 'k', start: 9, dur: 2, stream: 3, pid: 70, tid: 71, grid: [4, 2, 1], block: [64, 1, 1], launch: { api: 'launch', start: 0, dur: 2 } }); // prettier-ignore
  });

  it('is the same for rows in any order', () => {
    const rows: readonly ((trace: TraceBuilder) => void)[] = [
      (trace) => { trace.kernel(kernel({ name: 'b' })); },
      (trace) => { trace.kernel(kernel({ name: 'a' })); },
      (trace) => { trace.call({ ...CALL, name: 'second' }); },
      (trace) => { trace.call({ ...CALL, name: 'first' }); },
      (trace) => { trace.range({ start: 0, end: 9, pid: 70, tid: 71, text: 'step' }); },
      (trace) => { trace.sample({ metric: 'clock', unit: 'Hz', value: 2, start: 4 }); },
      (trace) => { trace.sample({ metric: 'clock', unit: 'Hz', value: 1, start: 4 }); },
    ]; // prettier-ignore
    const [one, other] = [rows, [...rows].reverse()].map((order) => {
      const trace = new TraceBuilder();
      for (const add of order) add(trace);
      return JSON.stringify(recordsOf(trace));
    });
    expect(other).to.equal(one);
  });

  it('takes anything that is not a number for unknown', () => {
    const trace = new TraceBuilder();
    trace.kernel(kernel({ grid: [4, null, 1], block: null, stream: '7', corr: undefined, name: null, device: 'gpu' }));
    trace.copy({ start: 'x', end: 5, device: 0, kind: null, bytes: '' });
    trace.call({ ...CALL, end: null });
    const records = recordsOf(trace);
    expect(kernelsIn(records)[0]).to.deep.include({ name: 'kernel#na', grid: null, block: null, stream: null, corr: null, device: 0 }); // prettier-ignore
    expect(records.find(({ type }) => type === 'copy')).to.deep.include({
      kind: null,
      bytes: null,
      start: 0,
      dur: null,
    });
    expect(records.at(-1)).to.have.deep.property('diagnostics', { 'activity-without-launch': 1, 'bad-row': 2, 'kernel-without-launch': 1, 'row-without-time': 1, 'unknown-name': 1 }); // prettier-ignore
  });

  it('looks texts up by number; a name that the profile lacks has its number there', () => {
    const trace = new TraceBuilder((id) => (id === 5 ? '_Z3foov' : id === 6 ? 'aten::mm, seq = 2' : null));
    trace.call(CALL);
    trace.range({ start: 0, end: null, pid: 70, tid: 71, text: 6 });
    trace.kernel(kernel({ name: 2 ** 32 + 9 }));
    trace.kernel(kernel({ start: 20, end: 21, name: 5 }));
    const kernels = kernelsIn(recordsOf(trace));
    expect(kernels.map(({ name }) => name)).to.deep.equal(['kernel#4294967305', 'foo()']);
    expect(kernels[0]).to.deep.include({ seq: [2], seqMarker: ['aten::mm, seq = 2'] });
  });

  it('joins ids within a process where all work states its own, and else in the whole profile', () => {
    const launches = (pids: readonly (number | null)[]): (number | null)[] => {
      const trace = new TraceBuilder();
      trace.call(CALL);
      trace.call({ ...CALL, pid: 80 });
      for (const pid of pids) trace.kernel(kernel({ pid }));
      return kernelsIn(recordsOf(trace)).map((each) => each.pid);
    };
    expect(launches([70, 80])).to.deep.equal([70, 80]);
    expect(launches([70, null])).to.deep.equal([null, null]);
  });

  it('takes an op that is stated, whatever the text of its range', () => {
    const trace = new TraceBuilder();
    trace.call(CALL);
    trace.range({ start: 0, end: 9, pid: 70, tid: 71, text: 'x', op: { mod: 'torch', op: 'mm', args: [] } });
    trace.range({
      start: 0,
      end: 8,
      pid: 70,
      tid: 71,
      text: 'y',
      op: { name: 'aten::mm', seq: 4, sizes: '[[2], [3]]' },
    });
    trace.kernel(kernel());
    const [only] = kernelsIn(recordsOf(trace));
    expect(only).to.deep.include({ mod: ['torch'], op: ['mm'], seq: [4] });
  });

  it('describes devices with work when nothing else is known about them', () => {
    const trace = new TraceBuilder();
    trace.kernel(kernel({ device: 3 }));
    const [header] = recordsOf(trace, { ...FACTS, devices: [{ id: 1, name: 'one' }] });
    expect(header).to.have.deep.nested.property('devices[0]', { id: 1, vendor: 'made', name: 'one', arch: null, units: null, clockHz: null, memBytesPerS: null, memBytes: null }); // prettier-ignore
    expect(header).to.have.nested.property('devices[1].id', 3);
  });
});
