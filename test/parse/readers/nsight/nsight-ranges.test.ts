import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { KernelRecord } from '../../../../src/record/record.js';
import { globalTid, NsightDatabase, PID, TID } from '../../../support/nsight-database.js';
import { diagnosticsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

/** One launch from 100 to 110 and its kernel. */
const launched = (): NsightDatabase =>
  new NsightDatabase().call({ start: 100, end: 110 }, 1).kernel({ start: 120, end: 130 }, 1);

/** A copy of the launch's. */
const COPY = { start: 150, end: 160, deviceId: 0, contextId: 1, streamId: 7, correlationId: 1, globalPid: globalTid(0), bytes: 8, copyKind: 1 }; // prettier-ignore

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

  it('beyond the latest 2,048 that are open around a launch are left out, and counted', () => {
    const db = launched();
    for (let i = 0; i < 2051; i++) db.range(`range ${i}`, -3000 + i, null);
    const ranges = rangesOf(db);
    expect([ranges.length, ranges[0], ranges.at(-1)]).to.deep.equal([2048, 'range 3', 'range 2050']);
    expect(diagnosticsOf(db.write())).to.deep.equal({ 'open-range': 2051, 'range-not-nested': 3 });
  });

  it('still open at the end are closed there, and counted', () => {
    const db = launched().range('open', 50, null).range('later', 115, null);
    expect(rangesOf(db)).to.deep.equal(['open']);
    expect(diagnosticsOf(db.write())).to.deep.equal({ 'open-range': 2 });
    const written = recordsOf(db.write(), { ranges: 'without-calls' }).filter((record) => record.type === 'range');
    expect(written.map(({ text, start, dur, open }) => [text, start, dur, open])).to.deep.equal([
      ['open', 50, 80, true],
      ['later', 115, 15, true],
    ]);
  });

  it('that end with the session were still open: the program did not end them', () => {
    const db = launched().range('open', 50, 400).range('ended', 60, 399);
    db.row('ANALYSIS_DETAILS', { duration: 400, startTime: 7n, stopTime: 407n });
    const written = recordsOf(db.write(), { ranges: 'without-calls' }).filter((record) => record.type === 'range');
    expect(written.map(({ text, open = false }) => [text, open])).to.deep.equal([
      ['open', true],
      ['ended', false],
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

  it('of TensorRT have the layers of its engine', () => {
    const db = domain(launched(), 'TensorRT', 1)
      .range('ExecutionContext::enqueue', 50, 200, { domainId: 1 })
      .range('onnx::Conv_239', 51, 199, { domainId: 1 });
    const placed = { layer: ['onnx::Conv_239'], ranges: ['TensorRT:ExecutionContext::enqueue'] };
    expect(onlyKernelOf(db.write())).to.deep.include(placed);
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

  describe('of the thread that called backward', () => {
    const engine = { globalTid: globalTid(77) };
    const node = (sequence: number): string => `autograd::engine::evaluate_function: MmBackward0, seq = ${sequence}, op_id = ${sequence}`; // prettier-ignore
    const kernelsOfEngine = (db: NsightDatabase): KernelRecord[] =>
      recordsOf(
        db.range(node(5), 100, 200, engine).call({ start: 110, end: 120 }, 1, engine).kernel({ start: 300, end: 310 }, 1).write(), // prettier-ignore
      ).filter((record): record is KernelRecord => record.type === 'kernel');

    it('hold what the engine launches on a thread of its own, and so does the step', () => {
      const db = new NsightDatabase().range('step_4', 0, 400).range('backward', 50, 250).range('data', 10, 40);
      const [found] = kernelsOfEngine(db);
      expect(found).to.deep.include({ ranges: [], callerRanges: ['step_4', 'backward'], step: 4 });
    });

    it('are those of the thread of the forward op where two have open ranges', () => {
      const other = { globalTid: globalTid(78) };
      const both = (): NsightDatabase => new NsightDatabase().range('a', 0, 400).range('b', 0, 400, other);
      const [found] = kernelsOfEngine(both().range('aten::mm, seq = 5, op_id = 2', 20, 30, other));
      expect(found?.callerRanges).to.deep.equal(['b']);
      expect(kernelsOfEngine(both())[0]).to.not.have.property('callerRanges');
    });

    it('hold it where the engine runs a few things outside of nodes, and whatever it launched first', () => {
      const db = new NsightDatabase().range('a', 0, 400).range('aten::mm, seq = 4, op_id = 2', 20, 30, engine);
      db.call({ start: 22, end: 24 }, 2, engine).kernel({ start: 50, end: 60 }, 2);
      const found = kernelsOfEngine(db.range(node(6), 200, 210, engine));
      expect(found.map(({ callerRanges }) => callerRanges)).to.deep.equal([['a'], ['a']]);
    });

    it('hold it where every third of thousands of ranges is no node', () => {
      const db = new NsightDatabase().range('a', 0, 10_000);
      for (let i = 0; i < 2999; i++) {
        db.range(i % 3 === 2 ? `data ${i}` : node(i + 10), 400 + 2 * i, 401 + 2 * i, engine);
      }
      expect(kernelsOfEngine(db)[0]?.callerRanges).to.deep.equal(['a']);
    });

    it('hold what a thread without ranges launches meanwhile, where one other thread has some open', () => {
      const db = new NsightDatabase().range('step_4', 0, 400).range('backward', 50, 250);
      db.call({ start: 110, end: 120 }, 1, engine).kernel({ start: 300, end: 310 }, 1);
      db.call({ start: 260, end: 270 }, 2, engine).kernel({ start: 320, end: 330 }, 2);
      const kernels = recordsOf(db.write()).filter((record): record is KernelRecord => record.type === 'kernel');
      expect(kernels.map(({ ranges, callerRanges, step }) => ({ ranges, callerRanges, step }))).to.deep.equal([
        { ranges: [], callerRanges: ['step_4', 'backward'], step: 4 },
        { ranges: [], callerRanges: ['step_4'], step: 4 },
      ]);
    });

    it('are read without counting their faults a second time', () => {
      const malformed = "{'args': ";
      const db = new NsightDatabase().launch(1, [malformed]).range(node(5), 500, 600, engine);
      db.call({ start: 510, end: 520 }, 2, engine).kernel({ start: 700, end: 710 }, 2).range(malformed, 400, 800);
      expect(recordsOf(db.write()).at(-1)).to.deep.include({ diagnostics: { 'marker-not-literal': 1 } });
    });

    itShared('are those open at the launch in a profile of two threads', ['data/pyprof/nsys_1000.sqlite'], ([path = '']) => {
      const [calling, engineThread] = [1234, 1301];
      const database = new Database(path, { readonly: true });
      const open = database
        .prepare<[number, number, number]>(
          `SELECT text FROM NVTX_EVENTS WHERE eventType IN (59, 60) AND start <= ? AND "end" >= ?
           AND globalTid & 0xFFFFFF = ? ORDER BY start`,
        )
        .pluck();
      const kernels = recordsOf(path).filter((record): record is KernelRecord => record.type === 'kernel' && record.tid === engineThread); // prettier-ignore
      expect(kernels).to.have.lengthOf(396);
      for (const { launch, callerRanges = [] } of kernels) {
        const start = launch?.start ?? NaN;
        const texts = (open.all(start, start, calling) as string[]).filter((text) => text.startsWith('iteration'));
        expect(callerRanges.filter((text) => text.startsWith('iteration'))).to.deep.equal(texts);
      }
      database.close();
    }); // prettier-ignore

    it('do not hold what a thread launches that runs the forward pass itself', () => {
      const db = new NsightDatabase().range('a', 0, 400).range('aten::mm, seq = 5, op_id = 2', 20, 30, engine);
      const [, found] = kernelsOfEngine(db.call({ start: 22, end: 24 }, 2, engine).kernel({ start: 50, end: 60 }, 2));
      expect(found?.dir).to.equal('bprop');
      expect(found).to.not.have.property('callerRanges');
    });
  });

  it('of steps are samples of their host time, and copies have their step', () => {
    const db = launched().range('iter', 50, 105).range('iter', 105, 400).range('my step', 0, 500);
    const records = recordsOf(db.row('CUPTI_ACTIVITY_KIND_MEMCPY', COPY).write());
    const samples = records.filter((record) => record.type === 'sample');
    expect(samples.map(({ metric, start, dur, value, labels }) => [metric, start, dur, value, labels])).to.deep.equal([
      ['step', 50, 55, 0, { text: 'iter', pid: PID, tid: TID }],
      ['step', 105, 295, 1, { text: 'iter', pid: PID, tid: TID }],
    ]);
    expect(records.flatMap((record) => ('step' in record ? [[record.type, record.step]] : []))).to.deep.equal([
      ['kernel', 0],
      ['copy', 0],
    ]);
  });
});
