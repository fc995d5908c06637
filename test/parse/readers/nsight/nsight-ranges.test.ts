import { expect } from 'chai';
import type { KernelRecord } from '../../../../src/record/record.js';
import { globalTid, NsightDatabase, PID, TID } from '../../../support/nsight-database.js';
import { diagnosticsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js';

/** One launch from 100 to 110 and its kernel. */
const launched = (): NsightDatabase =>
  new NsightDatabase().call({ start: 100, end: 110 }, 1).kernel({ start: 120, end: 130 }, 1);

const rangesOf = (db: NsightDatabase): readonly string[] => onlyKernelOf(db.write()).ranges;

describe('Nsight Systems: ranges', () => {
  it('of all four range events enclose launches; marks and other events do not', () => {
    const types = [33, 34, 35, 36, 37, 38, 39, 59, 60, 70, 71, 74, 75, 76, 97];
    const db = launched();
    for (const eventType of types) db.range(`event ${eventType}`, 50, 200, { eventType, domainId: 0 });
    expect(rangesOf(db)).to.have.members(['event 59', 'event 60', 'event 70', 'event 71']);
  });

  it('may lie on the launch exactly, and are outermost first', () => {
    const db = launched()
      .range('inner', 100, 110)
      .range('outer', 50, 200)
      .range('late', 101, 200)
      .range('early', 50, 109);
    expect(rangesOf(db)).to.deep.equal(['outer', 'inner']);
  });

  it('may overlap without nesting', () => {
    const db = launched().range('b', 60, 300, { eventType: 60 }).range('a', 50, 200, { eventType: 60 });
    expect(rangesOf(db)).to.deep.equal(['a', 'b']);
  });

  it('that end on another thread enclose nothing, and are counted', () => {
    const db = launched()
      .range('crossing', 50, 200, { eventType: 60, endGlobalTid: globalTid(77) })
      .range('not crossing', 50, 200, { eventType: 60, endGlobalTid: globalTid() });
    expect(rangesOf(db)).to.deep.equal(['not crossing']);
    expect(diagnosticsOf(db.write())).to.deep.equal({ 'range-across-threads': 1 });
  });

  it('do not cross threads where old exports wrote 0 for no value', () => {
    const db = launched().range('plain', 50, 200, { endGlobalTid: 0, textId: 0 });
    expect(rangesOf(db)).to.deep.equal(['plain']);
    expect(diagnosticsOf(db.write())).to.deep.equal({});
  });

  it('still open at the end are closed there, and counted', () => {
    const db = launched().range('open', 50, null).range('later', 115, null);
    expect(rangesOf(db)).to.deep.equal(['open']);
    expect(diagnosticsOf(db.write())).to.deep.equal({ 'open-range': 2 });
    const written = recordsOf(db.write(), { ranges: true }).filter((record) => record.type === 'range');
    expect(written.map(({ text, start, dur }) => [text, start, dur])).to.deep.equal([
      ['open', 50, 80],
      ['later', 115, 15],
    ]);
  });

  it('with times that are no numbers, or an end before the start, are counted and enclose nothing', () => {
    const db = launched().range('text', 50, 200, { start: 'x' }).range('backwards', 105, 60).range('good', 50, 200);
    expect(rangesOf(db)).to.deep.equal(['good']);
    for (const record of recordsOf(db.write(), { ranges: true })) {
      if (record.type === 'range') expect(record.dur).to.be.at.least(0);
    }
  });

  it('without a thread are left out', () => {
    expect(rangesOf(launched().range('nowhere', 50, 200, { globalTid: null }))).to.deep.equal([]);
  });

  it('have their text from the string table where they were registered', () => {
    const db = launched();
    db.range(null, 50, 200, { textId: db.string('layer:registered') });
    expect(onlyKernelOf(db.write()).layer).to.deep.equal(['registered']);
  });

  it('without any text are empty ones', () => {
    const db = launched().range(null, 50, 200).range(null, 51, 199, { textId: 99999 });
    expect(rangesOf(db)).to.deep.equal(['', '']);
    expect(diagnosticsOf(db.write())).to.deep.equal({ 'range-without-text': 2 });
  });
});

describe('Nsight Systems: domains', () => {
  const domain = (db: NsightDatabase, name: string, domainId: number, pid = PID): NsightDatabase =>
    db.range(name, 0, null, { eventType: 75, domainId, globalTid: globalTid(TID, pid) });

  it('are prefixed to the text, wherever their row is, and such texts are never calls or layers', () => {
    const before = domain(launched(), 'NCCL', 1).range('layer:ncclAllReduce', 50, 200, { domainId: 1 });
    const after = domain(launched().range('layer:ncclAllReduce', 50, 200, { domainId: 1 }), 'NCCL', 1);
    for (const db of [before, after]) {
      expect(onlyKernelOf(db.write())).to.deep.include({ ranges: ['NCCL:layer:ncclAllReduce'], layer: [], op: [] });
    }
  });

  it('have the number of their process', () => {
    const db = domain(domain(launched(), 'NCCL', 1), 'cuBLAS', 1, 77).range('x', 50, 200, { domainId: 1 });
    expect(rangesOf(db)).to.deep.equal(['NCCL:x']);
  });

  it('without a name are shown by number', () => {
    expect(rangesOf(launched().range('x', 50, 200, { domainId: 3 }))).to.deep.equal(['domain#3:x']);
  });

  it('are the default one where the column is NULL or 0', () => {
    const db = launched().range('layer:a', 50, 200, { domainId: null }).range('layer:b', 51, 199, { domainId: 0 });
    expect(onlyKernelOf(db.write()).layer).to.deep.equal(['a', 'b']);
  });
});

describe('Nsight Systems: the place of a kernel', () => {
  const place = (...texts: string[]): KernelRecord => onlyKernelOf(new NsightDatabase().launch(1, texts).write());

  it('keeps every call, outermost first', () => {
    const call = (op: string): string => `{'mod': 'torch', 'op': '${op}', 'args': []}`;
    const kernel = place(call('cross_entropy'), call('log_softmax'));
    expect(kernel.calls.map(({ op }) => op)).to.deep.equal(['cross_entropy', 'log_softmax']);
  });

  it('has the innermost call stack, all layers, all representations, and the step', () => {
    const repr = "{'mod': 'LSTM', 'strRepr': '10, 20'}";
    const kernel = place('step 7', 'layer:a', "{'traceMarker': ['a.py:1']}", "{'traceMarker': ['a.py:1', 'b.py:2']}", repr, 'layer:b'); // prettier-ignore
    expect(kernel).to.deep.include({ layer: ['a', 'b'], trace: ['a.py:1', 'b.py:2'], repr: [repr], step: 7, ranges: ['step 7'] }); // prettier-ignore
  });

  it('has ops without a number among its other ranges', () => {
    expect(place('aten::linear, seq = 4, op_id = 8', 'aten::t, op_id = 9')).to.deep.include({
      seqMarker: ['aten::linear, seq = 4, op_id = 8'],
      ranges: ['aten::t, op_id = 9'],
    });
  });

  it('shows recomputed forward work as forward', () => {
    const kernel = place('autograd::engine::evaluate_function: CheckpointFunctionBackward, op_id = 1', 'aten::mm, seq = 5, op_id = 2'); // prettier-ignore
    expect(kernel).to.deep.include({ dir: 'fprop', op: ['mm'], seq: [5] });
  });
});
