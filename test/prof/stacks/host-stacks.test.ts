import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../src/record/errors.js';
import { readProfile } from '../../../src/parse/profile.js';
import { HOST_FRAME_KINDS, HostStacks } from '../../../src/prof/stacks/host-stacks.js';
import type { ProfileLine, RangeRecord } from '../../../src/record/record.js';
import { itShared } from '../../support/shared.js';

const linesOf = (records: Iterable<ProfileLine>, by: string): string[] => {
  const kinds = HOST_FRAME_KINDS.filter(({ name }) => by.split(',').includes(name));
  const stacks = new HostStacks({ kinds, safe: (text) => text, apart: false });
  for (const record of records) stacks.take(record);
  return stacks.finish().facts.flatMap((one) => [...one.stacks.sorted()].map(({ frames, ns }) => `${frames.join(';')} ${ns}`)); // prettier-ignore
};

const range = (text: string, start: number, dur: number, fields: Partial<RangeRecord> = {}): RangeRecord => ({
  ...{ type: 'range', profile: 0, kind: 'op', start, dur, pid: 1, tid: 2, domain: null, text },
  ...fields,
});
const frame = (text: string, start: number, dur: number): RangeRecord => range(text, start, dur, { kind: 'frame' });

describe('stacks of the host', () => {
  it('count each op without the ops directly within, under the frames around it', () => {
    const records = [frame('main', 0, 100), range('linear', 10, 50), frame('inner', 15, 40), range('mm', 20, 30)];
    const other = range('linear', 10, 5, { tid: 3 });
    const call = range('aclrtMalloc', 30, 10, { kind: 'api' });
    expect(linesOf([...records, call, other], 'trace,op')).to.deep.equal([
      'linear 5',
      'main;inner;linear;mm 30',
      // 50 less the 30 of mm; the frame within is part of it.
      'main;linear 20',
    ]);
    expect(linesOf([...records, other], 'trace')).to.deep.equal(['[unknown] 5', 'main 20', 'main;inner 30']);
  });

  it('take the stack that an op has of its own, and give it to the ops within', () => {
    const stack = ['a.py(3): run', 'b.py(4): step'];
    const records = [frame('main', 0, 100), range('addmm', 0, 10, { stack }), range('mm', 2, 4), range('relu', 20, 1)];
    expect(linesOf(records, 'trace')).to.deep.equal(['a.py(3): run;b.py(4): step 10', 'main 1']);
  });

  it('count what an op shares with one that began before and ends earlier', () => {
    // 10 to 20 and 15 to 30, which a thread cannot do: 5 ns are in both.
    expect(linesOf([range('a', 10, 10), range('b', 15, 15)], 'op')).to.deep.equal(['a 5', 'a;b 15']);
    // b, 2 to 6, and c, 4 to 8, leave 4 of the 10 ns of a, not 6: what b shares with c is no time of a either.
    expect(linesOf([range('a', 0, 10), range('b', 2, 4), range('c', 4, 4)], 'op')).to.deep.equal([
      'a 4',
      'a;b 2',
      'a;b;c 4',
    ]);
  });

  it('read what PyProf says of calls: their names, and the stacks around them', () => {
    const marker = (text: string, start: number, dur: number): RangeRecord =>
      range(text, start, dur, { kind: 'marker' });
    const records = [
      marker("{'traceMarker': ['train.py:7', 'net.py:3']}", 0, 50),
      marker(
        "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': '', 'type': 'int', 'value': 1}]}",
        5,
        40,
      ),
      // Looks up an attribute of a module, within the call.
      marker("{'mod': 'torch', 'op': '__getattr__', 'args': []}", 10, 20),
      marker("{'traceMarker': ['train.py:7', 'other.py:9']}", 12, 15),
      marker("{'mod': 'torch', 'op': 'mm', 'args': []}", 13, 10),
    ];
    expect(linesOf(records, 'trace,op')).to.deep.equal([
      'train.py:7;net.py:3;torch.nn.functional.conv2d 30',
      'train.py:7;other.py:9;torch.nn.functional.conv2d;torch.mm 10',
    ]);
  });

  it('need ranges', () => {
    expect(() => linesOf([], 'op')).to.throw(UserError, 'no CPU ranges');
  });
});

describe('stacks of the host against Ascend', () => {
  for (const rank of [0, 1]) {
    const name = `data/ascend/text_level1_rank${rank}/ASCEND_PROFILER_OUTPUT`;
    // export_stacks writes a line an op with its stack and its time in operator_details.csv, where it is above 0.
    itShared(`are the lines of export_stacks, rank ${rank}`, [name], ([folder = '']) => {
      const rows: Record<string, string>[] = parse(readFileSync(join(folder, 'operator_details.csv')), {
        columns: true,
      });
      const expected = new Map<string, number>();
      for (const { 'Call Stack': stack = '', 'Host Self Duration(us)': time } of rows) {
        const line = stack.split(';').map((one) => one.trim()).reverse().join(';'); // prettier-ignore
        if (line !== '') expected.set(line, (expected.get(line) ?? 0) + Math.round(Number(time) * 1000));
      }
      const records = [...readProfile(join(folder, 'trace_view.json'), { profile: 0, ranges: true })];
      // The table leaves out steps.
      const ops = records.filter((record) => record.type !== 'range' || !record.text.startsWith('ProfilerStep'));
      const found = linesOf(ops, 'trace').filter((line) => !line.startsWith('[unknown]'));
      expect(found).to.have.members([...expected].map(([line, ns]) => `${line} ${ns}`));
      expect(rows.filter((row) => row['Call Stack'] !== '')).to.have.length(315);
    });
  }
});
