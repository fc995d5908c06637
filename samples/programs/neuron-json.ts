/**
 * A run as the JSON that the vendor's tool writes of a capture: one line, every value a list of rows. It has what no
 * capture that we know shows: layers, names of the compiler's graph, source lines, tensors of packets.
 */
import { bytesOf, TENSORS } from './neuron-attention.js';
import { birName, HASH, memoryUse, penguinOf, PREAMBLE, PROFILER, PROGRAM, TRACE, UUID } from './neuron-capture.js';
import { atWork, covered, DEVICE, flopsOf, lengthOf, metricsOf } from './neuron-metrics.js';
import {
  ENGINES,
  HARDWARE_QUEUE,
  QUEUE_NAMES,
  SEMAPHORES,
  SOFTWARE_QUEUE,
  type CoreRun,
  type Engine,
  type Instruction,
  type NeuronRun,
  type Packet,
} from './neuron-run.js';
import { compiledMove, type Semaphores } from './neuron-words.js';

type Row = Readonly<Record<string, unknown>>;

const ns = (ps: number): number => Math.floor(ps / 1000);

/** Cycles as the tool makes nanoseconds of them: in single precision. */
const waitNs = (cycles: number): number =>
  ns(Math.trunc(Math.fround(Math.fround(cycles * 1000) / Math.fround(DEVICE.hz / 1e9))));

/** A number that JSON can write and a double cannot hold. */
const exact = (digits: string): string => `@${digits}@`;

const QUEUE_TYPES: Readonly<Record<number, string>> = {
  [SOFTWARE_QUEUE]: 'software_dynamic',
  [HARDWARE_QUEUE]: 'hardware_dynamic',
};

const subgraph = ({ name }: CoreRun): Row => ({ subgraph: name });

/** The runtime's semaphores have another notation than the program's. */
function semaphoreText({ wait, update }: Semaphores, isRuntime: boolean): string {
  const name = (semaphore: number): string =>
    isRuntime ? `$S[${semaphore}]` : `S[${semaphore}] (${SEMAPHORES[semaphore] ?? ''})`;
  return [
    ...(wait === null ? [] : [`${name(wait.semaphore)}>=${wait.value}`]),
    ...(update === null ? [] : [`${name(update)}++@complete`]),
  ].join(' ');
}

function instruction(
  run: CoreRun,
  { step, pc, start, end, wait, crcIn, crcOut, id, semaphores, number, before }: Instruction,
): Row {
  const { moves } = step;
  const graph = run.name.replace('sg', 'sg00');
  const head = semaphoreText(semaphores, number === null);
  return {
    timestamp: ns(start),
    duration: ns(end - start),
    subgroup: step.engine,
    label: step.opcode === 'MATMUL' ? 'TensorMatrix' : step.engine,
    ...subgraph(run),
    pc,
    opcode: step.opcode,
    operands: `${head} ${step.operands.text}`,
    id: exact(id),
    instruction_type: number === null ? '' : (step.type ?? 'REGULAR'),
    layer: step.layer ?? '',
    hlo_name: step.hlo ?? '',
    evt_wait_time: waitNs(wait),
    crc_in: crcIn,
    crc_out: crcOut,
    ...(number === null
      ? {}
      : {
          bir_id: `${graph}:${number}`,
          bir_instruction_name: birName(number),
          penguin_id: `${graph}:${penguinOf(step)}`,
          compiler_pc: pc - PREAMBLE,
        }),
    ...(step.line === undefined ? {} : { nki_source_location: `attention.py:${step.line}` }),
    ...(step.activation === undefined ? {} : { activation_fn: step.activation }),
    ...(moves === undefined
      ? {}
      : {
          compiler_opcode: 'PSEUDO_DMA_DIRECT2D',
          compiler_operands: `${head} ${compiledMove(moves.move).text}`,
        }),
    ...(number === null ? {} : step.operands.work),
    ...(before.length === 0
      ? {}
      : { predecessors: before.map(({ id: other, kind }) => ({ id: exact(other), type: kind })) }),
  };
}

function packet(run: CoreRun, { engine, queue, bytes, start, end, crc, id, transfer, transferId, index }: Packet): Row {
  return {
    timestamp: ns(start),
    duration: ns(end - start),
    dma_engine: String(engine),
    dma_queue: String(queue),
    queue_type: QUEUE_TYPES[queue] ?? 'instruction',
    ...subgraph(run),
    transfer_size: bytes,
    read_size: bytes,
    write_size: bytes,
    crc,
    variable: transfer?.tensor ?? 'unknown',
    source: [[transfer?.source ?? 'unknown']],
    dest: [transfer?.dest ?? 'unknown'],
    packet_idx: index,
    packet_aggregation_id: exact(transferId),
    id: exact(id),
  };
}

/** The last limit lasts as long as its core runs anything. */
const ham = (run: CoreRun): Row[] => {
  const last = Math.max(...run.instructions.map(({ end }) => end));
  return run.limits.map(({ start, k, n, kind }, i) => {
    const end = run.limits[i + 1]?.start ?? last;
    return { timestamp: ns(start), duration: ns(end - start), k, n, type: kind, ...subgraph(run) };
  });
};

const semaphores = (run: CoreRun): Row[] =>
  run.updates.map(({ time, semaphore, value }) => ({
    timestamp: ns(time),
    id: `S[${semaphore}] (${SEMAPHORES[semaphore] ?? ''})`,
    value,
    ...subgraph(run),
  }));

const lower = (engine: Engine): string => `${engine.toLowerCase()}_engine`;

/** What was done for one part of the program. */
function layer(run: CoreRun, name: string, instructions: readonly Instruction[]): Row {
  const [start, end] = [
    Math.min(...instructions.map((each) => each.start)),
    Math.max(...instructions.map((each) => each.end)),
  ];
  const row: Record<string, unknown> = {
    name,
    fully_qualified_subgraph: `/${run.name}`,
    start: ns(start),
    end: ns(end),
    duration: ns(end) - ns(start),
  };
  for (const engine of ENGINES) {
    const own = instructions.filter(({ step }) => step.engine === engine);
    const active = covered(atWork(own));
    row[`${lower(engine)}_instruction_count`] = own.length;
    row[`${lower(engine)}_instruction_time`] = ns(lengthOf(atWork(own)));
    row[`${lower(engine)}_active_time`] = ns(active);
    row[`${lower(engine)}_active_percent`] = Number((active / (end - start)).toPrecision(8));
  }
  const peak = (2 * DEVICE.rows * DEVICE.columns * DEVICE.peHz * (end - start)) / 1e12;
  const flops = flopsOf(instructions);
  const useful = flops - flopsOf(instructions, 'TRANSPOSE');
  return {
    ...row,
    tensor_engine_flop_count: flops,
    tensor_engine_model_flop_count: useful,
    tensor_engine_hfu: Number((flops / peak).toPrecision(8)),
    tensor_engine_mfu: Number((useful / peak).toPrecision(8)),
  };
}

function layers(run: CoreRun): Row[] {
  const names = [...new Set(run.instructions.flatMap(({ step }) => step.layer ?? []))];
  return [
    layer(run, `/${run.name}`, run.instructions),
    ...names.map((name) =>
      layer(
        run,
        `/${run.name}/${name}`,
        run.instructions.filter(({ step }) => step.layer === name),
      ),
    ),
  ];
}

const STEP_PS = 2_000_000;

/** Bytes that packets have moved by then, every two microseconds. */
function throughput(run: CoreRun, length: number): Row[] {
  let before = 0;
  return Array.from({ length: Math.floor(length / STEP_PS) }, (_, i): Row => {
    const time = (i + 1) * STEP_PS;
    const total = run.packets.filter(({ end }) => end <= time).reduce((sum, { bytes }) => sum + bytes, 0);
    const rate = ((total - before) * 1e12) / STEP_PS;
    before = total;
    return { timestamp: ns(time), transfer_rate: rate, total_transfer_bytes: total, ...subgraph(run) };
  });
}

const pending = (run: CoreRun, length: number): Row[] =>
  Array.from({ length: Math.floor(length / STEP_PS) }, (_, i) => {
    const time = (i + 1) * STEP_PS;
    return {
      timestamp: ns(time),
      value: run.packets.filter(({ start, end }) => start <= time && time < end).length,
      ...subgraph(run),
    };
  });

const counts = (run: CoreRun, length: number): Row => ({
  sg_name: run.name,
  nc_idx: run.core,
  nd_idx: 0,
  ...Object.fromEntries(
    ENGINES.map((engine) => [
      `${lower(engine)}_instruction_count`,
      run.instructions.filter(({ step }) => step.engine === engine).length,
    ]),
  ),
  event_count: run.updates.length,
  neuroncore_cycle_count: Math.floor((length * DEVICE.hz) / 1e12),
});

const TYPES = { input: 'IN', output: 'OUT', weight: 'WEIGHT' } as const;

const WARNINGS: readonly Row[] = [
  {
    category: 'Collectives',
    message: 'Two of the subgraphs belong to a group of collectives, of which this capture has no operation.',
  },
  { category: 'Missing Data', message: 'Sizes of intermediate results that were spilled are not known.' },
];

function tables(run: NeuronRun): Readonly<Record<string, readonly Row[]>> {
  const { cores, length } = run;
  const all = (rows: (core: CoreRun) => readonly Row[]): Row[] => cores.flatMap(rows);
  return {
    profile_info: [
      {
        profile_name: 'attention',
        neff_name: PROGRAM,
        ntff_filename: TRACE,
        cc_only: false,
        profile_type: 'normal',
        profiler_version: PROFILER,
      },
    ],
    metadata: [
      {
        data_version: 8,
        ntff_version: 6,
        num_subgraphs: cores.length,
        num_physical_cores: cores.length,
        vnc_enabled: true,
        first_hw_timestamp: 0,
        last_hw_timestamp: ns(length),
        ticks_per_nanosec: 1000,
        pe_clock_freq: DEVICE.peHz / 1e9,
        pe_clock_others: DEVICE.hz / 1e9,
        pe_num_rows: DEVICE.rows,
        pe_num_cols: DEVICE.columns,
        dma_ddr_bandwidth: DEVICE.dma,
        hbm_ddr_bandwidth: DEVICE.hbm,
        is_simulation: false,
      },
    ],
    neff_header: [
      {
        package_version: '2',
        header_size: '1024',
        number_of_neuroncores_per_lnc: '2',
        network_name: PROGRAM,
        hash: HASH,
        uuid: UUID,
      },
    ],
    summary: [metricsOf(run)],
    model_info: cores.map((core) => counts(core, length)),
    neff_node: TENSORS.map((tensor) => ({
      variable_name: tensor.name,
      type: TYPES[tensor.kind],
      format: 'NC',
      shape: `[${tensor.shape.join(' ')}]`,
      size: String(bytesOf(tensor)),
      sg_name: '',
    })),
    nc_mem_usage: all(({ core }) =>
      memoryUse().map(([kind, bytes]) => ({ nd: 0, nc: core, usage_type: kind, amount_bytes: bytes })),
    ),
    dma_queues_info: Object.entries(QUEUE_NAMES).map(([queue, name]) => ({ q_name: name, q_idx: Number(queue) })),
    instruction: all((core) => core.instructions.map((each) => instruction(core, each))),
    dma: all((core) => core.packets.map((each) => packet(core, each))),
    semaphore_update: all(semaphores),
    ham: all(ham),
    dma_throughput: all((core) => throughput(core, length)),
    pending_dma: all((core) => pending(core, length)),
    layer_summary: all(layers),
    warnings: WARNINGS,
  };
}

/** The whole file. */
export const neuronJson = (run: NeuronRun): Buffer =>
  Buffer.from(JSON.stringify(tables(run)).replace(/"@(\d+)@"/g, '$1'));

/** The output of the tool for a summary alone: metrics by the node's hash. */
export const neuronSummary = (run: NeuronRun): Buffer =>
  Buffer.from(`${JSON.stringify({ [`n_${HASH}`]: metricsOf(run) }, null, 2)}\n`);
