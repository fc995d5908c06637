import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repeatTrace } from '../../bench/repeat-trace.js';
import { traceTemplate } from '../../bench/trace-template.js';
import { ROOT } from '../support/shared.js';
import { itWithProcess } from '../support/sets.js';

interface Event {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly id?: number;
  readonly ts: number;
  readonly dur?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** One step with an op that launches a kernel; times and spacing as PyTorch writes them. */
const TRACE = `{
  "schemaVersion": 1, "ts": 5,
  "deviceProperties": [{"id": 0, "name": "T {4}"}],
  "traceEvents": [
  {
    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#6", "pid": 1, "tid": 1,
    "ts": 4458677009000.007, "dur": 90.5,
    "args": {"External id": 1, "Record function id": 0, "Ev Idx": 0}
  },
  {
    "ph": "X", "cat": "python_function", "name": "a.py(1): f \\"ts\\": 7, {", "pid": 1, "tid": 1,
    "ts": 4458677009001.000, "dur": 80,
    "args": {"Python parent id": null, "Python id": 1, "Python module id": 4, "Ev Idx": 2}
  },
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1,
    "ts": 4458677009002.120, "dur": 70,
    "args": {"External id": 2, "Ev Idx": 1, "Sequence number": 0, "Fwd thread id": 0, "Input Dims": [[8, 4], [4, 2]],
      "nested": {"correlation": 9}}
  },
  {
    "args": {"correlation": 40, "External id": 2}, "dur": 3, "ts": 4458677009003,
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1
  },
  {
    "ph": "s", "id": 40, "pid": 1, "tid": 1, "ts": 4458677009003, "cat": "ac2g", "name": "ac2g"
  },
  {
    "ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 4458677009060.500, "dur": 31.25,
    "args": {"External id": 2, "correlation": 40, "grid": [1, 1, 1]}
  },
  {
    "ph": "X", "cat": "cuda_runtime", "name": "cudaFree", "pid": 1, "tid": 1, "ts": 4458677009070, "dur": 1,
    "args": {"correlation": 0, "External id": 0}
  },
  {
    "name": "process_name", "ph": "M", "ts": 0, "pid": 1, "tid": 0, "args": {"name": "python"}
  }
  ],
  "traceName": "ProfilerStep#6.json"
}
`;

function repeat(text: string, times: number): string {
  const pieces: Buffer[] = [];
  repeatTrace(traceTemplate(Buffer.from(text)), times, (piece) => pieces.push(Buffer.from(piece)));
  return Buffer.concat(pieces).toString();
}

const eventsOf = (text: string): Event[] => (JSON.parse(text) as { traceEvents: Event[] }).traceEvents;
const ofArgs = (events: readonly Event[], key: string): unknown[] =>
  events.flatMap(({ args }) => (args !== undefined && key in args ? [args[key]] : []));

describe('a repeated trace', () => {
  it('is the input when there is one copy', () => {
    expect(repeat(TRACE, 1)).to.equal(TRACE);
  });

  it('has all events so many times, and what stands around them once', () => {
    const copies = JSON.parse(repeat(TRACE, 3)) as Record<string, unknown>;
    const { traceEvents: events, ...rest } = JSON.parse(TRACE) as Record<string, unknown> & { traceEvents: Event[] };
    expect(copies).to.deep.include(rest);
    expect(eventsOf(repeat(TRACE, 3))).to.have.length(3 * events.length);
  });

  it('differs from the input in numbers only', () => {
    const blank = (text: string): string => text.replaceAll(/\d+/g, '0');
    const body = (text: string): string => text.slice(text.indexOf('[\n'), text.indexOf('\n  ],\n  "traceName"'));
    const [once, twice] = [body(blank(TRACE)), body(blank(repeat(TRACE, 2)))];
    expect(twice).to.equal(`${once},${once.slice(1)}`);
  });

  it('moves times by whole microseconds and keeps the digits behind the point', () => {
    // From the step's start to the kernel's end, 4458677009091.750, are 91.743 µs, so 92; 1000 more are the gap.
    const starts = [...repeat(TRACE, 3).matchAll(/"ph": "X", "cat": "kernel".*?"ts": ([\d.]+)/g)].map(([, ts]) => ts);
    expect(starts).to.deep.equal(['4458677009060.500', '4458677010152.500', '4458677011244.500']);
  });

  it('has each copy begin after the end of the one before', () => {
    const events = eventsOf(repeat(TRACE, 3)).filter(({ ph }) => ph !== 'M');
    const [first = [], second = [], third = []] = [0, 7, 14].map((from) => events.slice(from, from + 7));
    const start = (copy: readonly Event[]): number => Math.min(...copy.map(({ ts }) => ts));
    const end = (copy: readonly Event[]): number => Math.max(...copy.map(({ ts, dur }) => ts + (dur ?? 0)));
    expect(start(second)).to.be.above(end(first));
    expect(start(third)).to.be.above(end(second));
  });

  it('numbers steps on', () => {
    const names = eventsOf(repeat(TRACE, 3)).flatMap(({ cat, name }) => (cat === 'user_annotation' ? [name] : []));
    expect(names).to.deep.equal(['ProfilerStep#6', 'ProfilerStep#7', 'ProfilerStep#8']);
    const later = TRACE.replace('"aten::mm"', '"ProfilerStep#9"');
    const steps = eventsOf(repeat(later, 2)).flatMap(({ name }) => (name.startsWith('Prof') ? [name.slice(-2)] : []));
    expect(steps).to.deep.equal(['#6', '#9', '10', '13']);
  });

  it('keeps ids apart between copies, and what they join together', () => {
    const events = eventsOf(repeat(TRACE, 3));
    expect(ofArgs(events, 'Ev Idx')).to.deep.equal([0, 2, 1, 3, 5, 4, 6, 8, 7]);
    expect(ofArgs(events, 'Python id')).to.deep.equal([1, 3, 5]);
    expect(ofArgs(events, 'Sequence number')).to.deep.equal([0, 1, 2]);
    const kernels = events.filter(({ cat }) => cat === 'kernel');
    expect(ofArgs(kernels, 'External id')).to.deep.equal([2, 5, 8]);
    expect(ofArgs(kernels, 'correlation')).to.deep.equal([40, 81, 122]);
    expect(events.flatMap(({ id }) => id ?? [])).to.deep.equal([40, 81, 122]);
    expect(ofArgs(events, 'Python module id')).to.deep.equal([4, 4, 4]);
  });

  it('leaves alone an id of 0 that means none, a missing parent, and what lies deeper', () => {
    const events = eventsOf(repeat(TRACE, 2));
    const frees = events.filter(({ name }) => name === 'cudaFree');
    expect(ofArgs(frees, 'correlation')).to.deep.equal([0, 0]);
    expect(ofArgs(frees, 'External id')).to.deep.equal([0, 0]);
    expect(ofArgs(events, 'Record function id')).to.deep.equal([0, 0]);
    expect(ofArgs(events, 'Python parent id')).to.deep.equal([null, null]);
    expect(ofArgs(events, 'nested')).to.deep.equal([{ correlation: 9 }, { correlation: 9 }]);
  });

  it('takes a bare list of events, and times in whole microseconds since 1970', () => {
    const events = '[{"ph":"X","name":"a","ts":1623142623460111,"dur":25},{"ph":"X","name":"b","ts":1623142623460121}]';
    const moved = (JSON.parse(repeat(events, 2)) as Event[]).map(({ ts }) => ts - 1_623_142_623_460_111);
    // 25 µs from the first start to the last end, and the gap.
    expect(moved).to.deep.equal([0, 10, 1025, 1035]);
  });

  it('is refused where there is no trace', () => {
    for (const text of ['', '{}', '{"a": 1}', '{"traceEvents": []}', '{"traceEvents": [{"ph": "X"', '[1]']) {
      expect(() => traceTemplate(Buffer.from(text)), text).to.throw(/^no trace|has no events/);
    }
  });

  itWithProcess('is counted in full by the plain parser that the tools are measured against', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dprof-repeat-'));
    try {
      const path = join(folder, 'trace.json');
      writeFileSync(path, repeat(TRACE, 5));
      const printed = execFileSync(process.execPath, [join(ROOT, 'bench/parse-pieces.mjs'), path], {
        encoding: 'utf8',
      });
      expect(printed).to.equal('40 events\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
