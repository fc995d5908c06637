/** Time of devices in ops without ops within, and on AI Cores: by hand, and beside operator_details.csv. */
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOST_TABLES, HostTable, type HostTableKind } from '../../../../src/prof/by/host/host-table.js';
import { readProfile } from '../../../../src/parse/profile.js';
import { hostRangeName } from '../../../../src/prof/by/host/range-name.js';
import type { OpCall, ProfileLine } from '../../../../src/record/record.js';
import { collective, kernel } from '../../../support/kernels.js';
import { itShared } from '../../../support/shared.js';

const ENGINE = 'autograd::engine::evaluate_function: ';
const call = (op: string): OpCall => ({ mod: 'aten', op, args: [], from: 'dispatcher' });
const range = (text: string, kind: 'op' | 'annotation' = 'op'): ProfileLine => ({
  type: 'range',
  profile: 0,
  kind,
  start: 0,
  dur: 9,
  pid: 1,
  tid: 2,
  domain: null,
  text,
});

type Times = Readonly<Record<'time' | 'self' | 'cube' | 'cubeSelf', number>>;

function timesOf(by: 'hostop' | 'range', records: Iterable<ProfileLine>): Map<string, Times> {
  const table = new HostTable(HOST_TABLES[by] as HostTableKind);
  for (const record of records) table.take(record);
  return new Map([...table.rows()].map(({ name, work }) => [name, work]));
}

/** `linear` launched a vector kernel of 10 ns itself, `mm` within it a kernel of 30 ns on an AI Core. */
const LINEAR = [
  ...[range('aten::linear'), range('aten::mm')],
  kernel({ dur: 10, engine: 'AI_VECTOR_CORE', calls: [call('linear')] }),
  kernel({ dur: 30, engine: 'AI_CORE', calls: [call('linear'), call('mm')] }),
];

describe('time of devices in CPU ops', () => {
  it('of its own is that of work launched in no op within, also on AI Cores', () => {
    const times = timesOf('hostop', LINEAR);
    expect(times.get('linear')).to.include({ time: 40, self: 10, cube: 30, cubeSelf: 0 });
    expect(times.get('mm')).to.include({ time: 30, self: 30, cube: 30, cubeSelf: 30 });
  });

  it('on AI Cores is unknown where a kernel has no core class; an operation between ranks runs on none', () => {
    const sent = collective({ dur: 5, calls: [call('mm')] });
    expect(timesOf('hostop', [...LINEAR, sent]).get('mm')).to.include({ time: 35, self: 35, cube: 30, cubeSelf: 30 });
    const unknown = kernel({ dur: 7, calls: [call('mm')] });
    expect(timesOf('hostop', [...LINEAR, unknown]).get('mm')).to.deep.include({ time: 37, self: 37, cube: NaN });
    expect(timesOf('hostop', [range('aten::mm'), range('aten::add'), unknown]).get('add')).to.deep.include({ time: 0, self: 0, cube: NaN }); // prettier-ignore
  });

  it('of its own is not known of ranges', () => {
    const times = timesOf('range', [range('epoch', 'annotation'), kernel({ dur: 7, engine: 'MIX_AIC', ranges: ['epoch'] })]); // prettier-ignore
    expect(times.get('epoch')).to.deep.include({ time: 7, self: NaN, cube: 7, cubeSelf: NaN });
  });

  it('is in the engine range of its node, whether or not that has a sequence number', () => {
    const backward = kernel({ dur: 4, seqMarker: ['MmBackward0, seq = 5'], calls: [call('mm')] });
    const times = timesOf('hostop', [range(`${ENGINE}MmBackward0`), range('MmBackward0'), backward]);
    for (const name of [`${ENGINE}MmBackward0`, 'MmBackward0'])
      expect(times.get(name)).to.include({ count: 1, time: 4, self: 0 });
  });

  itShared('as operator_details.csv', ['data/ascend/text_level1_rank0/ASCEND_PROFILER_OUTPUT/trace_view.json'], ([path = '']) => {
    const theirs = new Map<string, number>();
    const rows: Record<string, string>[] = parse(readFileSync(join(dirname(path), 'operator_details.csv')), { columns: true });
    for (const { Name: text = '', 'Device Total Duration(us)': us } of rows) {
      const name = hostRangeName({ kind: 'op', domain: null, text });
      theirs.set(name, (theirs.get(name) ?? 0) + Number(us));
    }
    const ours = timesOf('hostop', readProfile(path, { profile: 0, ranges: true }));
    // None of them copies: the table adds the time of copies to that of kernels.
    const names = ['conv2d', 'mm', 'addmm', 'max_pool2d', 'relu_', 'sum', '_foreach_add_', 'threshold_backward', 'allreduce_']; // prettier-ignore
    for (const name of [...names, `${ENGINE}ReluBackward0`])
      expect((ours.get(name)?.time ?? NaN) / 1000, name).to.be.closeTo(theirs.get(name) ?? NaN, 0.06);
    // Kernels of the core class AI_CORE, all launched in ops: `awk -F, '$8 == "AI_CORE" { s += $10 }'` of kernel_details.csv.
    const cube = [...ours.values()].reduce((sum, { cubeSelf }) => sum + cubeSelf, 0);
    expect(cube / 1000).to.be.closeTo(2805.856, 0.05);
  }); // prettier-ignore
});
