/** A run as the files around a capture: the device trace (NTFF), and the program that ran (NEFF). */
import { bytesOf, TENSORS } from './neuron-attention.js';
import { DMA_ENGINES, ENGINES, QUEUE_NAMES, type CoreRun, type NeuronRun } from './neuron-run.js';
import { neffBytes } from './write-neff.js';
import { instructionEnd, instructionStart, ntff, packet, semaphore, throttle, type SectionOf } from './write-ntff.js';

export const PROGRAM = 'attention.neff';
export const TRACE = 'attention.ntff';
export const UUID = '5a3c91e07f2b4d86a1c4e8f00b6d9372';
export const HASH = '7be2d4410c9f5a638e17f0a29b3c6d58';
export const INSTANCE = 'trn2.48xlarge';
/** Versions of nothing that was released. */
export const COMPILER = '2.99.1000.0+00c0ffee';
export const RUNTIME = [2, 99, 7, '0ddba11c'] as const;
export const DRIVER = [2, 98] as const;
export const PROFILER = '2.99.5.0';

/** First byte of an instruction. */
const OPCODES: Readonly<Record<string, number>> = {
  LDWEIGHTS: 0x01,
  MATMUL: 0x02,
  ACTIVATE: 0x21,
  ACT_TABLE_LOAD: 0x23,
  TENSOR_REDUCE: 0x42,
  TENSOR_SCALAR: 0x43,
  COPY: 0x46,
  RECIPROCAL: 0x48,
  EVENT_SEMAPHORE: 0xa0,
  DRAIN: 0xa2,
  NOP: 0xa4,
  WRITE: 0xa5,
  NOTIFY: 0xa6,
  SET_ORDERING_MODE: 0xb1,
  DMA_DIRECT2D: 0xb8,
};

/** Device memory by what takes it: names of the trace, and of the vendor's tool. */
const MEMORY: readonly (readonly [name: string, tool: string, bytes: number])[] = [
  ['generic', 'Generic', 36_864],
  ['pe', 'Tensor Instructions', 8192],
  ['io', 'IO', TENSORS.filter(({ kind }) => kind !== 'weight').reduce((sum, tensor) => sum + bytesOf(tensor), 0)],
  ['weight', 'Weights', 32_768],
  ['profiler buffers', 'Profiler Buffers', 4_194_304],
  ['act table', 'Scalar Table', 16_384],
];

/** As the vendor's tool lists it. */
export const memoryUse = (): (readonly [kind: string, bytes: number])[] => [
  ...MEMORY.map(([, kind, bytes]) => [kind, bytes] as const),
  ['Total', MEMORY.reduce((sum, [, , bytes]) => sum + bytes, 0)],
];

type Timed = readonly [time: number, record: Buffer];

const inOrder = (records: readonly Timed[]): Buffer[] =>
  records.toSorted(([a], [b]) => a - b).map(([, record]) => record);

/** Instructions lie somewhere in the device's memory. */
const PLACE = 4096;
const ENGINE_BITS = 32;

function sections(run: CoreRun): SectionOf[] {
  const { core } = run;
  const records: readonly (readonly [kind: number, records: readonly Timed[]])[] = [
    [
      0,
      run.instructions.flatMap(({ step, pc, start, end, wait, crcIn, crcOut }): Timed[] => {
        const engine = ENGINES.indexOf(step.engine);
        return [
          [start, instructionStart(start, engine, PLACE + pc, wait)],
          [end, instructionEnd(end, engine, PLACE + pc, crcIn, crcOut)],
        ];
      }),
    ],
    [1, run.updates.map(({ time, semaphore: id, value }): Timed => [time, semaphore(time, id, value)])],
    [
      4,
      run.packets.flatMap(({ engine, queue, bytes, start, end, crc }): Timed[] => [
        [start, packet(start, 1, engine % ENGINE_BITS, queue)],
        [end, packet(end, 5, engine % ENGINE_BITS, queue, bytes, crc)],
        [end, packet(end, 6, engine % ENGINE_BITS, queue)],
      ]),
    ],
    [5, run.limits.map(({ start, k, n, kind }): Timed => [start, throttle(start, k, n, kind)])],
  ];
  return records.map(([kind, timed]) => ({ kind, core, group: kind === 4 ? 1 : 0, records: inOrder(timed) }));
}

const opcodesOf = (run: CoreRun): number[][] =>
  ENGINES.map((engine) =>
    run.instructions.filter(({ step }) => step.engine === engine).map(({ step: { opcode } }) => OPCODES[opcode] ?? 0),
  );

export const neuronTrace = ({ cores, length }: NeuronRun): Buffer =>
  ntff({
    length,
    program: PROGRAM,
    uuid: UUID,
    instance: INSTANCE,
    runtime: RUNTIME,
    driver: DRIVER,
    graphs: cores.map((run) => ({
      name: run.name,
      core: run.core,
      place: PLACE,
      opcodes: opcodesOf(run),
      rings: Array.from({ length: DMA_ENGINES }, (_, i) => run.dmaBase + i).flatMap((engine) =>
        Object.entries(QUEUE_NAMES).map(([queue, name]) => [engine, Number(queue), name] as const),
      ),
      memory: MEMORY.map(([name, , bytes]) => [name, bytes] as const),
    })),
    sections: cores.flatMap(sections),
  });

const mapped = TENSORS.map((tensor, id) => {
  const isWeight = tensor.kind === 'weight';
  const file = `value_${tensor.name}.npy`;
  const place = isWeight ? { type: 'file', file_name: file } : { type: tensor.kind };
  const kind = isWeight ? { is_const: true } : { is_const: false, kind: tensor.kind };
  return {
    name: tensor.name,
    variable: { ...place, size: bytesOf(tensor), var_id: id },
    type: { dtype: 'bfloat16', ...kind, sim_shape: tensor.shape, tf_file: file },
  };
});

/** The program, without the instructions: they are not read. */
export function neuronProgram(): Buffer {
  const graphs = ['sg00', 'sg01'];
  const parts: Readonly<Record<string, unknown>> = {
    'info.json': { tool_version: COMPILER, name: PROGRAM, num_tpb: 1 },
    'kelf-0.json': {
      graphs: graphs.map((name) => ({ name, definition: `${name}/def.json` })),
      target: 'cayman',
      version: '0.5',
    },
    ...Object.fromEntries<unknown>(
      graphs.flatMap((name): (readonly [string, unknown])[] => [
        [
          `${name}/def.json`,
          {
            dma_queue: {
              qSyncDynamicHW: { type: 'dynamic', owner: 'sp', semaphore_set: [24] },
              qGpSimdDynamic: { type: 'dynamic', owner: 'pool', semaphore_set: [27] },
            },
            var: Object.fromEntries<unknown>(mapped.map(({ name: tensor, variable }) => [tensor, variable])),
          },
        ],
        [
          `${name}/tensor_map.json`,
          Object.fromEntries<unknown>(mapped.map(({ name: tensor, type }) => [tensor, type])),
        ],
      ]),
    ),
  };
  const entries = Object.entries(parts).map(([name, part]) => ({ name, data: JSON.stringify(part) }));
  return neffBytes(entries, { uuid: UUID, hash: HASH, name: PROGRAM });
}
