/**
 * Captures of four ranks of one job as the vendor's tool would write them, made up: each rank is a logical core of two
 * cores of a Trainium2, and does four rounds of 40 us. In a round it computes for 20 us (rank 2: for 26 us), adds up 64 KiB
 * with all others, computes for 5 us (rank 2: for 6 us), and gathers 16 KiB of each. An operation ends on all ranks 4 us
 * after the last of them has begun it: ranks 0, 1 and 3 wait for 6 us in each sum, and for 1 us in what is gathered. Times
 * count from each rank's own start, which is 1 us behind that of the rank before; all begin their work 4 us behind rank 0's.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const RANKS = [0, 1, 2, 3] as const;
const LATE_RANK = 2;
const ROUNDS = 4;
const ROUND_NS = 40_000;
const [COMPUTED, PREPARED, MOVED, TRIGGERED] = [20_000, 5_000, 4_000, 500];
const [BEGIN, LATER_START] = [4_000, 1_000];
/** What rank 2 computes longer, before the sum and behind it. */
const LATE = [6_000, 1_000] as const;

/** `rows` has the keys of neuron-explorer's JSON, `schema` those of its Parquet. */
export type RowKeys = 'rows' | 'schema';

type Row = Readonly<Record<string, unknown>>;
type Span = readonly [start: number, end: number];

/** Multiplications of a product that lasts as long: half of what 128 x 128 multipliers do at 2.4 GHz. */
const multiplications = (ns: number): number => Math.round((128 * 128 * 2.4 * ns) / 2);

function instruction(core: number, start: number, dur: number): Row {
  return {
    ...{ timestamp: start, duration: dur, subgroup: 'Tensor', label: 'TensorMatrix', opcode: 'MATMUL' },
    ...{ subgraph: `sg0${core}`, pc: start, elements: multiplications(dur), instruction_type: 'REGULAR' },
    operands: 'src=bf16@0x0[1,0,0][512,1,1] dst=0x2000000[1,0,0][512,1,1] 128*128 ',
  };
}

function operation(keys: RowKeys, name: string, id: number, [start, end]: Span): Row {
  const [input, output] = name === 'AllReduce' ? [65_536, 65_536] : [16_384, 65_536];
  const time =
    keys === 'rows'
      ? { timestamp: start, duration: end - start, cc_trigger: start - TRIGGERED }
      : { start_ts: start, end_ts: end, duration_ns: end - start, trigger_start_ts: start - TRIGGERED };
  return {
    ...time,
    ...{ operation: name, algorithm: 'Ring', dtype: 'bf16', num_elements: input / 2, op_id: id },
    ...{ stream_id: 0, stream_index: 0, trigger_engine: 'Pool', input_size: input, output_size: output },
    replica_group: '[[0, 1, 2, 3]]',
  };
}

/** Cores 8 and 9 of the stream move data at the end of an operation; core 8 waits for the other ranks before. */
function ccInstructions(keys: RowKeys, [start, end]: Span): Row[] {
  const row = (core: number, description: string, from: number, to: number): Row => ({
    ...(keys === 'rows'
      ? { timestamp: from, duration: to - from }
      : { start_ts: from, end_ts: to, duration_ns: to - from }),
    ...{ core_idx: core, description, trigger_engine: 'Pool' },
  });
  const moving = end - MOVED;
  return [
    ...(moving > start ? [row(8, 'SEMAPHORE_30_WAIT_EQ_8', start, moving)] : []),
    ...[8, 9].map((core) => row(core, 'DMA_ADVANCE', moving, end)),
  ];
}

/** The tables of a rank, by name. */
export function rankTables(rank: number, keys: RowKeys = 'rows'): Record<string, Row[]> {
  const instructions: Row[] = [];
  const operations: Row[] = [];
  const ofCores: Row[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begin = round * ROUND_NS + BEGIN - rank * LATER_START;
    const [late, later] = rank === LATE_RANK ? LATE : [0, 0];
    const [computed, prepared] = [COMPUTED + late, PREPARED + later];
    const summed = begin + COMPUTED + LATE[0] + MOVED;
    const gathered = summed + PREPARED + LATE[1] + MOVED;
    for (const core of [0, 1])
      instructions.push(instruction(core, begin, computed), instruction(core, summed, prepared));
    const spans: readonly Span[] = [
      [begin + computed, summed],
      [summed + prepared, gathered],
    ];
    for (const [at, span] of spans.entries()) {
      operations.push(operation(keys, at === 0 ? 'AllReduce' : 'AllGather', 2 * round + at, span));
      ofCores.push(...ccInstructions(keys, span));
    }
  }
  const total = BEGIN + ROUNDS * ROUND_NS - rank * LATER_START;
  const names =
    keys === 'rows'
      ? (['cc_ops', 'cc_stream', 'cc_instruction'] as const)
      : (['CcOp', 'CcStream', 'CcInstruction'] as const);
  return {
    instruction: instructions,
    [names[0]]: operations,
    [names[1]]: [{ stream_id: 0, stream_index: 0, cc_core_ids: '[8,9]' }],
    [names[2]]: ofCores,
    model_info: [0, 1].map((core) => ({ sg_name: `sg0${core}`, nc_idx: 2 * rank + core })),
    metadata: [
      {
        ...{
          first_hw_timestamp: 0,
          last_hw_timestamp: total,
          num_physical_cores: 2,
          pe_num_rows: 128,
          pe_num_cols: 128,
        },
        ...{ pe_clock_freq: 2.4, pe_clock_others: 1.2, hbm_ddr_bandwidth: 7.16e11, dma_ddr_bandwidth: 4.35e11 },
      },
    ],
    summary: [{ total_time: total / 1e9, instance_type: 'trn2.48xlarge' }],
  };
}

/** Writes `profile_rank_0.json` … into a new folder. @returns their paths */
export function writeRanks(folder: string, keys: RowKeys = 'rows'): string[] {
  mkdirSync(folder, { recursive: true });
  return RANKS.map((rank) => {
    const path = join(folder, `profile_rank_${rank}.json`);
    writeFileSync(path, JSON.stringify(rankTables(rank, keys)));
    return path;
  });
}
