/** Collective operations of the tool's JSON, by field: no real file with any is known, so that all are made up. */
import { expect } from 'chai';
import type { CollectiveLine, EndRecord, SampleRecord } from '../../../../src/record/record.js';
import { rankTables } from '../../../support/neuron-ranks.js';
import { ofType, readText, withFile } from './tool-json-files.js';
import { readProfile } from '../../../../src/parse/profile.js';

type Row = Readonly<Record<string, unknown>>;

const read = (operations: readonly Row[], more: Readonly<Record<string, unknown>> = {}, table = 'cc_ops') =>
  readText(
    JSON.stringify({ instruction: [], metadata: [{ last_hw_timestamp: 10_000 }], [table]: operations, ...more }),
  );

const operationsOf = (...args: Parameters<typeof read>): CollectiveLine[] => ofType(read(...args), 'collective');

function operationOf(row: Row, ...more: [Readonly<Record<string, unknown>>?, string?]): CollectiveLine {
  const [only, ...others] = operationsOf([row], ...more);
  if (only === undefined || others.length > 0) throw new Error('not one operation');
  return only;
}

/** The same rows as a file of this name. */
const ofFile = (name: string, row: Row): CollectiveLine | undefined =>
  withFile(JSON.stringify({ instruction: [], cc_ops: [row] }), (path) =>
    ofType([...readProfile(path, { profile: 0, name })], 'collective').at(0),
  );

const WHOLE = {
  ...{ timestamp: 100, duration: 50, operation: 'AllGather', algorithm: 'Mesh', dtype: 'bf16', num_elements: 512 },
  ...{ op_id: 7, stream_id: 1, stream_index: 0, trigger_engine: 'Pool', input_size: 1024, output_size: 4096 },
  ...{ cc_trigger: 80, cc_trigger_start_delay: 20, replica_group: '[[0, 2], [1, 3]]', replica_group_id: 5 },
};

describe('collective operations of the JSON of neuron-profile', () => {
  it('have what the row states, the larger message as their size, and the cores of their stream', () => {
    const cc_stream = [{ stream_id: 1, stream_index: 0, cc_core_ids: '[11,10]' }];
    expect(operationOf(WHOLE, { cc_stream })).to.deep.equal({
      ...{ type: 'collective', profile: 0, name: 'AllGather', kind: 'allGather', bytes: 4096, dtype: 'bfloat16' },
      ...{ group: '[[0, 2], [1, 3]]', groupSize: 2, ranks: null, algorithm: 'Mesh', link: null },
      ...{ start: 100, dur: 50, device: 0, stream: 10, engine: 'CC stream 1' },
      counters: { elements: 512, inputBytes: 1024, outputBytes: 4096, triggerDelayNs: 20 },
      labels: { opId: 7, streamId: 1, streamIndex: 0, triggerEngine: 'Pool', replicaGroupId: 5, ccCores: '10,11' },
    });
  });

  it('are of the group with the rank of the file', () => {
    const { group, groupSize, ranks } = ofFile('profile_rank_3.json', WHOLE) ?? {};
    expect({ group, groupSize, ranks }).to.deep.equal({ group: '1,3', groupSize: 2, ranks: [1, 3] });
    // A single list is the group, unless it lacks the rank.
    const row = { ...WHOLE, replica_group: [[4, 5]] };
    expect(operationOf(row).ranks).to.deep.equal([4, 5]);
    expect(ofFile('profile_rank_3.json', row)).to.include({ groupSize: 2, ranks: null });
    expect(operationOf({ ...WHOLE, replica_group: '[0, 1, 2]' }).ranks).to.deep.equal([0, 1, 2]);
    expect(operationOf({ ...WHOLE, replica_group: 'all' })).to.include({ group: 'all', groupSize: null, ranks: null });
  });

  it('have null for what the row lacks, and no guess', () => {
    const bare = operationOf({ timestamp: 100, operation: 'Permute', input_size: 8 });
    expect(bare).to.deep.equal({
      ...{ type: 'collective', profile: 0, name: 'Permute', kind: 'permute', bytes: null, dtype: null },
      ...{ group: null, groupSize: null, ranks: null, algorithm: null, link: null },
      ...{ start: 100, dur: null, device: 0, stream: null, engine: 'CC-cores' },
      ...{ counters: { inputBytes: 8 }, labels: {} },
    });
  });

  it('are counted where a row has no time, or no operation', () => {
    const rows = [{ operation: 'AllReduce', duration: 5 }, { timestamp: 5, duration: 5 }, WHOLE];
    const lines = read(rows);
    expect(ofType(lines, 'collective')).to.have.length(1);
    expect((lines.at(-1) as EndRecord).diagnostics).to.deep.include({ 'row-passed-over': 2 });
  });

  it('are read by the names of the schema as well, with an end in place of a duration', () => {
    const { timestamp, duration, cc_trigger, ...rest } = WHOLE;
    const times = { start_ts: timestamp, end_ts: timestamp + duration, trigger_start_ts: cc_trigger };
    for (const table of ['cc_op', 'CcOp'])
      expect(operationOf({ ...rest, ...times }, {}, table)).to.deep.equal(operationOf(WHOLE));
    const whole = { ...rest, ...times, duration_ns: duration };
    expect(operationOf(whole, {}, 'CcOp')).to.deep.equal(operationOf(WHOLE));
    const { cc_trigger_start_delay: _, ...undelayed } = WHOLE;
    expect(operationOf(undelayed).counters).to.include({ triggerDelayNs: 20 });
  });

  it('have the instructions of their cores beside them', () => {
    const lines = readText(JSON.stringify(rankTables(0)));
    const found = ofType(lines, 'sample').filter(({ metric }) => metric === 'cc_instruction');
    expect(found).to.have.length(24);
    const first: SampleRecord = {
      ...{ type: 'sample', profile: 0, start: 24_000, dur: 6_000, device: 0, metric: 'cc_instruction', value: 1 },
      ...{ unit: 'count', labels: { core: 8, name: 'SEMAPHORE_30_WAIT_EQ_8', triggerEngine: 'Pool' } },
    };
    expect(found[0]).to.deep.equal(first);
    const bySchema = readText(JSON.stringify(rankTables(0, 'schema')));
    expect(bySchema).to.deep.equal(lines);
  });

  it('make the format of a file that begins with them', () => {
    const lines = readText(JSON.stringify({ cc_ops: [WHOLE] }));
    expect(ofType(lines, 'profile')[0]?.format).to.equal('neuron-json');
  });
});
