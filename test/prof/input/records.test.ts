import { expect } from 'chai';
import { UserError } from '../../../src/record/errors.js';
import type { KernelRecord } from '../../../src/record/record.js';
import { validRecord, RepeatedFieldParser } from '../../../src/prof/input/record-validation.js';
import { RecordReader } from '../../../src/prof/input/records.js';
import { kernel, mm } from '../../support/kernels.js';
import { recordsOf } from '../../support/rows.js';

const DICT =
  "{'kShortName': 'k', 'kDuration': 45734, 'layer': ['conv1'], 'trace': ['a.py:1'], 'reprMarkers': [], " +
  "'marker': [\"{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (6,), 'dtype': 'float16'}]}\", 'odd'], " +
  "'seqMarker': ['mm, seq = 3'], 'seqId': [3], 'subSeqId': 1, 'altSeqId': [], 'dir': 'fprop', 'mod': ['torch'], 'op': ['mm'], " +
  "'tid': 3940300608, 'device': 0, 'stream': 7, 'grid': (80, 1, 1), 'block': (256, 1, 1), 'kLongName': 'void k<float>(int)'}";

async function errorLine(text: string): Promise<string> {
  try {
    await recordsOf(text);
  } catch (error) {
    if (error instanceof UserError) return error.line;
    throw error;
  }
  throw new Error('no error');
}

describe('records', () => {
  it('of our own come back as they were written', async () => {
    const records = [kernel({ calls: [mm(2, 3, 4)], mod: ['torch'], op: ['mm'] }), kernel({ id: 2 })];
    const text = records.map((record) => JSON.stringify(record)).join('\r\n');
    expect(await recordsOf(text, 7)).to.deep.equal(records);
  });

  it('of types that a report has no use for are skipped', async () => {
    const end = '{"type":"end","profile":0,"counts":{},"diagnostics":{}}';
    const text = `{"type":"copy"}\n{"type":"new thing"}\n\n${end}`;
    expect((await recordsOf(text)).map(({ type }) => type)).to.deep.equal(['end']);
  });

  it('of ranges are skipped where a device worked and only profiles without work need them', () => {
    const types = new Set(['profile', 'kernel', 'range', 'end'] as const);
    const reader = new RecordReader('test', types, null, 'without-work');
    const profile = (number: number): string => JSON.stringify({ type: 'profile', v: 1, profile: number, file: 'f' });
    const range = JSON.stringify({ type: 'range', kind: 'op', name: 'op', start: 0, dur: 1 });
    const lines = [profile(0), JSON.stringify(kernel()), range, range, profile(1), range];
    const records = reader.readAll(lines, 1).map(({ type }) => type);
    expect(records).to.deep.equal(['profile', 'kernel', 'profile', 'range']);
  });

  it('of other types have what their type needs: a field of the wrong type becomes unknown', async () => {
    const odd = [
      { type: 'profile', v: 1, profile: 0, file: 7, format: null, rank: 'x', devices: null },
      { type: 'end', profile: 0, counts: [], diagnostics: null },
    ];
    expect(await recordsOf(odd.map((record) => JSON.stringify(record)).join('\n'))).to.deep.equal([
      {
        ...{ type: 'profile', v: 1, profile: 0, file: 'na', format: 'na', tool: null, rank: null },
        ...{ startUnixNs: null, dur: null, devices: [] },
      },
      { type: 'end', profile: 0, counts: {}, diagnostics: { 'bad-row': 2 } },
    ]);
  });

  it('of ranges have a process and a thread, which may be unknown', () => {
    const range = { type: 'range', profile: 0, start: 0, dur: 1, domain: null, text: 'a' };
    for (const ids of [{}, { pid: null, tid: null }, { pid: '1', tid: [2] }]) {
      expect(validRecord({ ...range, ...ids }, 1)).to.deep.equal({ ...range, pid: null, tid: null });
    }
    expect(validRecord({ ...range, pid: 1, tid: 2 }, 1)).to.deep.equal({ ...range, pid: 1, tid: 2 });
  });

  it('of a profile keep the devices that are valid', async () => {
    const [good, bad] = [{ id: 1, vendor: 'nvidia', name: 'A100' }, { id: 'x' }];
    const profile = { type: 'profile', v: 1, profile: 0, file: 'f', format: 'f', rank: null, devices: [bad, good] };
    const [record] = await recordsOf(JSON.stringify(profile));
    expect(record).to.deep.equal({ ...profile, tool: null, startUnixNs: null, dur: null, devices: [good] });
  });

  it('of activities may lack the launch that their format cannot have; other fields of the wrong type become unknown', () => {
    const copy = { type: 'copy', profile: 0, kind: 'DtoD', bytes: 8, start: 0, dur: 1, device: 0, stream: 7 };
    expect(validRecord(copy, 1)).to.equal(copy);
    const odd = { corr: '5', queue: [1], hostMemory: 'pinned', graph: { id: 'x', node: 1 }, step: {} };
    let wrong = 0;
    expect(validRecord({ ...copy, ...odd }, 1, () => wrong++)).to.deep.equal({
      ...{ ...copy, corr: null, queue: undefined, hostMemory: 'pinned', graph: undefined, step: null },
    });
    expect(wrong).to.equal(1);
  });

  it("of PyProf's net.dict become kernels; what they do not have is unknown", async () => {
    const [record] = (await recordsOf(`${DICT}\n${DICT}`)) as KernelRecord[];
    expect(record).to.deep.equal(
      kernel({
        name: 'void k<float>(int)',
        start: NaN,
        dur: 45734,
        pid: null,
        tid: 3940300608,
        corr: null,
        launch: null,
        grid: [80, 1, 1],
        block: [256, 1, 1],
        layer: ['conv1'],
        trace: ['a.py:1'],
        calls: [{ mod: 'torch', op: 'mm', args: [{ name: '', type: 'tensor', shape: [6], dtype: 'float16' }] }],
        mod: ['torch'],
        op: ['mm'],
        seqMarker: ['mm, seq = 3'],
        seq: [3],
        sub: 1,
        step: null,
      }),
    );
  });

  it('with fields missing or of the wrong type keep their row; the cells are unknown', async () => {
    const odd = { type: 'kernel', name: 'k', start: 'x', layer: 5, calls: [{ op: 'mm' }, 3], grid: [1, 2], dir: 'up' };
    const [record] = (await recordsOf(JSON.stringify(odd))) as KernelRecord[];
    expect(record).to.deep.include({ id: 1, short: 'k', start: NaN, dur: null, layer: [], grid: null, dir: null });
    expect(record?.calls).to.deep.equal([{ mod: 'na', op: 'mm', args: [] }]);
  });

  it('that are broken are reported by file, line and column', async () => {
    const good = JSON.stringify(kernel());
    expect(await errorLine(`${good}\n{"type":"kernel",}`)).to.match(/^test:2: broken record at column 18 \(/);
    expect(await errorLine(`${good}\n\n${good.slice(0, 100)}`)).to.match(/^test:3: broken record: it is cut off \(/);
    expect(await errorLine(`${DICT}\n${DICT.slice(0, 60)}`)).to.match(/^test:2: broken record/);
    expect(await errorLine(`${DICT}\n{'a': __import__('os')}`)).to.match(/^test:2: broken record at column 7/);
    expect(await errorLine('hello')).to.match(/^test:1: not a record \(/);
    expect(await errorLine('{"a":1}')).to.match(/^test:1: JSON, but not a record \(/);
    expect(await errorLine("{'a': 1}")).to.match(/^test:1: a Python value, but not a kernel \(/);
    expect(await errorLine('')).to.match(/^test: is empty \(/);
    expect(await errorLine('{"type":"profile","v":99}')).to.match(/^test:1: unsupported record schema version 99 \(/);
  });

  it("that are the database's message, left by failed scripts, are reported as such", async () => {
    const line = await errorLine('no such table: CUPTI_ACTIVITY_KIND_RUNTIME\n');
    expect(line).to.match(/^test:1: not kernels but a database message: "no such table/);
  });
});

describe('repeated parts', () => {
  const whole = kernel({ calls: [mm(2, 3, 4)], name: 'k "quoted", "calls": no' });

  it('give what JSON.parse gives, and equal calls are one object', () => {
    const parts = new RepeatedFieldParser();
    const first = parts.parse(JSON.stringify(whole)) as KernelRecord;
    const second = parts.parse(JSON.stringify({ ...whole, id: 2 })) as KernelRecord;
    expect(first).to.deep.equal(whole);
    expect(second).to.deep.equal({ ...whole, id: 2 });
    expect(second.calls).to.equal(first.calls);
  });

  it('are not taken from inside a text, nor where the order of fields differs', () => {
    const tricky = kernel({ ranges: [',"calls":[1],"mod":[', ',"name":"x","short":'] });
    const { calls, ...others } = tricky;
    for (const record of [tricky, { calls, ...others }, others, { ...tricky, name: null }]) {
      const text = JSON.stringify(record);
      expect(new RepeatedFieldParser().parse(text)).to.deep.equal(JSON.parse(text));
    }
  });

  it('fail as JSON.parse does', () => {
    expect(() => new RepeatedFieldParser().parse(JSON.stringify(whole).slice(0, -2))).to.throw(SyntaxError);
  });
});
