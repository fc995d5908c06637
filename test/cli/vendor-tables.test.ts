/** `dprof summary --vendor-names --tables NAMES -f json`: the vendor's whole JSON, as far as records have it. */
import { expect } from 'chai';
import { SAMPLED, FURTHER, realFile, withFile } from '../parse/readers/neuron/tool-json-files.js';
import { instruction, neuronLines, neuronProfile, packet, sample, tensor } from '../support/neuron.js';
import { recordsOf } from '../support/profile-records.js';
import { runCli } from '../support/run-cli.js';
import { itEachShared, ROOT } from '../support/shared.js';

type Row = Readonly<Record<string, unknown>>;
type Tables = Readonly<Record<string, readonly Row[]>>;

const OPTIONS = ['summary', '--vendor-names', '-f', 'json', '--tables'];

/** Tables of what is printed, with long integers as strings. */
async function tablesOf(names: string, path: string, input = ''): Promise<{ text: string; said: string; tables: Tables }> {
  const { stdout, stderr, code } = await runCli('dprof', [...OPTIONS, names, path], { input });
  expect(code).to.equal(0);
  const exact = stdout.replace(/(?<=[:[,])\d{16,}(?=[,}\]])/g, '"$&"');
  return { text: stdout, said: stderr, tables: JSON.parse(exact) as Tables };
} // prettier-ignore

const number = (id: unknown): string => /\d+/.exec(String(id))?.[0] ?? '';
/** What identifies a row of each table. */
const KEYS: Readonly<Record<string, (row: Row) => readonly unknown[]>> = {
  instruction: (row) => [row['subgraph'], row['subgroup'], row['timestamp'], row['pc']],
  dma: (row) => [row['subgraph'], row['dma_engine'], row['dma_queue'], row['packet_idx']],
  semaphore_update: (row) => [row['subgraph'], row['timestamp'], number(row['id']), row['value']],
  ham: (row) => [row['subgraph'], row['timestamp']],
  dma_throughput: (row) => [row['subgraph'], row['timestamp']],
  pending_dma: (row) => [row['subgraph'], row['timestamp'], row['value']],
  instruction_usage: (row) => [row['subgraph'], row['timestamp'], row['type'], row['usage_avg'], row['bank_7_usage']],
  active_time: (row) => [row['subgraph'], row['engine'], row['start_ts']],
  layer_summary: (row) => [row['name']],
  neff_node: (row) => [row['variable_name']],
  nc_mem_usage: (row) => [row['nc'], row['usage_type']],
  dma_queues_info: (row) => [row['subgraph'], row['q_name']],
  model_info: (row) => [row['sg_name']],
  warnings: (row) => [row['message']],
};

/** Fields that differ or are missing, and why; docs/neuron.md has the reasons. */
const OF_JSON: Readonly<Record<string, readonly string[]>> = {
  // Whole nanoseconds.
  layer_summary: ['end'],
  active_time: ['end_ts', 'duration_ns'],
  neff_node: ['format'],
};
const OF_TRACE: Readonly<Record<string, readonly string[]>> = {
  // Ids of the tool's; the wait is a nanosecond off now and then.
  instruction: ['id', 'predecessors', 'evt_wait_time'],
  // Ids of the tool's; what it writes `unknown` for.
  dma: ['id', 'packet_aggregation_id', 'variable', 'source', 'dest', 'semaphore_id'],
  layer_summary: ['tensor_engine_hfu', 'tensor_engine_mfu'],
  neff_node: ['format'],
  dma_queues_info: ['q_axi_port'],
};

const isNear = (ours: unknown, theirs: unknown): boolean =>
  typeof ours === 'number' && typeof theirs === 'number' && Math.abs(ours - theirs) <= 1e-6 * Math.abs(theirs);
const isSame = (ours: unknown, theirs: unknown): boolean =>
  isNear(ours, theirs) || JSON.stringify(ours) === JSON.stringify(theirs);

/** Rows of the tool that are not among ours, and fields that are missing or differ, as `table.field`. */
function differences(ours: Tables, theirs: Tables, tables: readonly string[]): string[] {
  return tables.flatMap((table) => {
    const keyOf = KEYS[table] ?? (() => []);
    const found = new Map((ours[table] ?? []).map((row) => [keyOf(row).join(), row]));
    return (theirs[table] ?? []).flatMap((row) => {
      const own = found.get(keyOf(row).join());
      if (own === undefined) return [`${table}: ${JSON.stringify(row)}`];
      return Object.keys(row).flatMap((key) => (isSame(own[key], row[key]) ? [] : [`${table}.${key}`]));
    });
  });
}

const allowed = (fields: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(fields).flatMap(([table, names]) => names.map((name) => `${table}.${name}`));

/** Rows of subgraphs, which have no name, are not written. */
const named = (tables: Tables): Tables => ({
  ...tables,
  neff_node: (tables['neff_node'] ?? []).filter((row) => row['variable_name'] !== ''),
});

const EVENTS = Object.keys(KEYS);

describe('dprof summary --tables', () => {
  itEachShared(
    SAMPLED,
    FURTHER,
    (capture) => `${capture}: the rows are the tool's own`,
    async (json) => {
      const theirs = named(realFile(json).exact);
      const fromJson = (await tablesOf('all', json)).tables;
      expect(Object.keys(fromJson)).to.have.members(Object.keys(realFile(json).exact));
      expect(allowed(OF_JSON)).to.include.members(differences(fromJson, theirs, [...EVENTS, 'neff_header']));
      for (const table of EVENTS) expect(fromJson[table], table).to.have.length(theirs[table]?.length ?? 0);
      expect(fromJson['summary']?.[0]).to.include({ event_count: theirs['summary']?.[0]?.['event_count'] });

      const { tables, said } = await tablesOf('all', json.replace(/_profile_full\.json(?:\.gz)?$/, '.ntff'));
      expect(said).to.include(
        'the input has no data for instruction_usage, warnings (what each needs: docs/neuron.md)\n',
      );
      const traced = EVENTS.filter((table) => table !== 'instruction_usage' && table !== 'warnings');
      expect(allowed(OF_TRACE)).to.include.members(differences(tables, theirs, [...traced, 'neff_header']));
      // The tool counts one instruction of one capture without a row for it.
      const rows = tables['instruction']?.length ?? 0;
      expect(rows - (theirs['instruction']?.length ?? 0)).to.be.within(0, 1);
      for (const table of traced.slice(1)) expect(tables[table], table).to.have.length(theirs[table]?.length ?? 0);
      for (const row of tables['dma'] ?? []) expect(row['variable']).to.be.a('string');
    },
  );

  it('is read again as the JSON of the tool', async () => {
    const sample = `${ROOT}/samples/attention.neuron.json`;
    const { text } = await tablesOf('all', sample);
    const shown = (path: string): unknown[] =>
      recordsOf(path).flatMap((line): unknown[] => {
        if (line.type === 'kernel') return [[line.name, line.start, line.dur, line.operands, line.after, line.labels]];
        if (line.type === 'copy') return [[line.bytes, line.start, line.dur, line.queueType, line.labels]];
        return line.type === 'sample' && line.start !== null ? [line] : [];
      });
    const again = withFile(text, shown);
    expect(again).to.have.length.above(300);
    expect(again).to.deep.equal(shown(sample));
  }); // prettier-ignore

  it('has sums of instructions, numbers of packets, and no packet of a queue that the tool leaves out', async () => {
    const uneven = sample('dma_queue_uneven', 1, { stream: 66, queue: 14 });
    const of = { from: 'trace', subgraph: 'sg00' };
    const records = neuronLines([
      neuronProfile(),
      tensor('k', 'input', 4096),
      sample('event_count', 5, of),
      uneven,
      instruction('CAST', 'Vector', 100, 50, { labels: { type: 'REGULAR', birId: 'sg0000:17' } }),
      // Touches the one before it; then 20 ns without an instruction, and a wait that counts, but is in no time.
      instruction('COPY', 'Vector', 150, 30),
      instruction('CAST', 'Vector', 200, 10),
      instruction('EVENT_SEMAPHORE', 'Vector', 300, 40),
      packet('instruction', 310, 10, 64, { stream: 66, queue: 14 }),
      packet('hardware_dynamic', 320, 16, 512, { stream: 64, queue: 1 }),
      packet('hardware_dynamic', 330, 16, 512, { stream: 64, queue: 1 }),
    ]);
    const { tables } = await tablesOf('dma,active_time,layer_summary,model_info,instruction', '-', records);
    expect(Object.keys(tables)).to.deep.equal(['instruction', 'dma', 'active_time', 'layer_summary', 'model_info']);
    expect(tables['active_time']?.map((row) => [row['engine'], row['start_ts'], row['end_ts'], row['duration_ns']])).to.deep.equal([
      ['vector', 100, 180, 80],
      ['vector', 200, 210, 10],
    ]);
    expect(tables['dma']?.map((row) => [row['packet_idx'], row['transfer_rate'], row['variable'], row['source']])).to.deep.equal([
      // 512 B in 16 ns
      [0, 32e9, 'unknown', [['unknown']]],
      [1, 32e9, 'unknown', [['unknown']]],
    ]);
    const [whole, program] = tables['layer_summary'] ?? [];
    expect(whole).to.include({ name: '/sg00', start: 100, end: 340, duration: 240, vector_engine_instruction_count: 4 });
    // 90 of 240 ns
    expect(whole).to.include({ vector_engine_instruction_time: 90, vector_engine_active_percent: 0.375 });
    expect(program).to.include({ name: '/sg00/Unknown', start: 100, end: 150, vector_engine_instruction_count: 1 });
    // 5 events, 4 instructions, 2 packets; 340 ns of 1.2 GHz
    expect(tables['model_info']).to.have.length(1);
    expect(tables['model_info']?.[0]).to.include({ trace_count: 11, event_count: 5, neuroncore_cycle_count: 408 });
    const [first, second] = tables['instruction'] ?? [];
    expect(first).to.include({ raw_bir_id: 17, layer: 'Unknown', hlo_attrs: '[]', crc_in: 65_535 });
    expect(second).to.include({ raw_bir_id: 0, layer: '', hlo_attrs: '' });
  }); // prettier-ignore

  it('writes each field of a row once', async () => {
    const records = neuronLines([
      neuronProfile(),
      instruction('MATMUL', 'Tensor', 0, 5),
      instruction('CAST', 'Vector', 9, 5, { labels: { label: 'own', hloAttrs: '[a]', type: 'REGULAR' } }),
    ]);
    const { text, tables } = await tablesOf('instruction', '-', records);
    for (const field of ['label', 'hlo_attrs']) expect(text.split(`"${field}":`), field).to.have.length(3);
    expect(tables['instruction']?.map((row) => [row['label'], row['hlo_attrs']])).to.deep.equal([
      ['TensorMatrix', ''],
      ['own', '[a]'],
    ]);
  });

  it('writes tables for which there is no room in memory', async () => {
    const count = 20_000;
    const semaphores = Array.from({ length: count }, (_, i) => ({
      ...sample('semaphore', i, { semaphore: 8, name: 'qSyncDynamicHW' }),
      start: i,
    }));
    const records = neuronLines([neuronProfile(), instruction('NOP', 'Sync', 0, 5), ...semaphores]);
    const { tables, text } = await tablesOf('semaphore_update,instruction', '-', records);
    expect(text.length).to.be.above(1024 * 1024);
    expect(tables['instruction']).to.have.length(1);
    expect(tables['semaphore_update']).to.have.length(count);
    expect(tables['semaphore_update']?.at(-1)).to.deep.equal({ timestamp: count - 1, value: count - 1, id: 'S[8] (qSyncDynamicHW)' }); // prettier-ignore
  });

  it('names the profile of each row of several, also of rows that waited in a file', async () => {
    const count = 12_000;
    const semaphores = (profile: number) =>
      Array.from({ length: count }, (_, i) => ({ ...sample('semaphore', i, { semaphore: 8 }), profile, start: i }));
    const capture = (profile: number) => [neuronProfile({ profile }), ...semaphores(profile)];
    const one = neuronLines(capture(0));
    const alone = await tablesOf('semaphore_update,profile_info,terminology', '-', one);
    const both = await tablesOf('semaphore_update,profile_info,terminology', '-', one + neuronLines(capture(1)));
    expect(alone.text).to.not.include('"profile":');
    const rows = alone.tables['semaphore_update'] ?? [];
    expect(rows).to.have.length(count);
    const ofProfile = (profile: number): Row[] => rows.map((row) => ({ profile, ...row }));
    expect(both.text.length).to.be.above(1024 * 1024);
    expect(both.tables['semaphore_update']).to.deep.equal([...ofProfile(0), ...ofProfile(1)]);
    expect(both.tables['profile_info']?.map(({ profile }) => profile)).to.deep.equal([0, 1]);
    // Meanings of words are not of a profile.
    expect(both.tables['terminology']).to.deep.equal(alone.tables['terminology']);
  });

  it('goes with the JSON of the vendor alone, and with tables that it has', async () => {
    expect((await runCli('dprof', ['summary', '--tables', 'dma', 'x'])).stderr).to.equal(
      'dprof: --tables needs --vendor-names -f json (and cannot be combined with --check)\n',
    );
    const { code, stderr } = await runCli('dprof', [...OPTIONS, 'dma,warning', 'x']);
    expect([code, stderr]).to.deep.equal([2, "dprof: unknown table 'warning' (did you mean warnings?)\n"]);
  });
});
