/** A run as the files around a capture: the device trace (NTFF), and the program that ran (NEFF). */
import { bytesOf, TABLE, TENSORS, variableOf } from './neuron-attention.js';
import {
  DMA_ENGINES,
  ENGINES,
  QUEUE_NAMES,
  type CoreRun,
  type Engine,
  type Instruction,
  type NeuronRun,
  type Step,
} from './neuron-run.js';
import { compiledMove, STATE_VARIABLE, wordOf } from './neuron-words.js';
import {
  instructionsFile,
  layerFile,
  neffBytes,
  rowsFile,
  type DebugInstruction,
  type TarEntry,
} from './write-neff.js';
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

const ofEngine = (run: CoreRun, engine: Engine): Instruction[] =>
  run.instructions.filter(({ step }) => step.engine === engine);

const loadedWord = ({ step: { opcode, operands }, semaphores }: Instruction): Buffer =>
  wordOf(opcode, semaphores, operands);

/** Instructions of the runtime before those of each engine; others follow these. */
export const PREAMBLE = 2;
const WORD = 64;

function editsOf(instructions: readonly Instruction[]): (readonly [number, number, number])[] {
  const program = instructions.filter(({ number }) => number !== null).length;
  return [
    [0, PREAMBLE, 0],
    [(PREAMBLE + program) * WORD, instructions.length - PREAMBLE - program, 0],
  ];
}

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
      words: ENGINES.map((engine) => ofEngine(run, engine).map(loadedWord)),
      edits: ENGINES.map((engine) => editsOf(ofEngine(run, engine))),
      rings: Array.from({ length: DMA_ENGINES }, (_, i) => run.dmaBase + i).flatMap((engine) =>
        Object.entries(QUEUE_NAMES).map(([queue, name]) => [engine, Number(queue), name] as const),
      ),
      memory: MEMORY.map(([name, , bytes]) => [name, bytes] as const),
    })),
    sections: cores.flatMap(sections),
  });

const mapped = TENSORS.map((tensor) => {
  const isWeight = tensor.kind === 'weight';
  const file = `value_${tensor.name}.npy`;
  const place = isWeight ? { type: 'file', file_name: file } : { type: tensor.kind };
  const kind = isWeight ? { is_const: true } : { is_const: false, kind: tensor.kind };
  return {
    name: tensor.name,
    variable: { ...place, size: bytesOf(tensor), var_id: variableOf(tensor.name) },
    type: { dtype: 'bfloat16', ...kind, sim_shape: tensor.shape, tf_file: file },
  };
});

export const birName = (number: number): string => `I-${number}`;
/** Number of the line of the kernel that an instruction was made of. */
export const penguinOf = ({ line = 0 }: Step): number => line;

/** Names of engines in a program's files. */
const FILES = ['PE', 'Activation', 'Pool', 'DVE', 'SP'] as const;
const KINDS = { ORDERED: 1, ANTI_DEPENDENCE: 2, FLOW_DEPENDENCE: 4 } as const;

/** Instructions of a core's engine as the compiler wrote them, and what it knows of them. */
function engineFiles(run: CoreRun, engine: Engine, file: string): TarEntry[] {
  const program = ofEngine(run, engine).flatMap((each) =>
    each.number === null ? [] : [{ ...each, number: each.number }],
  );
  const words = program.map((each) => {
    const { moves, opcode } = each.step;
    return moves === undefined ? loadedWord(each) : wordOf(opcode, each.semaphores, compiledMove(moves.move));
  });
  const known = program.map(({ number, step, before }): DebugInstruction => {
    const ofKind = (isOrdered: boolean): (readonly [number, number])[] =>
      before
        .filter(({ kind }) => (kind === 'ORDERED') === isOrdered)
        .map(({ number: other, kind }) => [other, KINDS[kind]]);
    return {
      number,
      name: birName(number),
      penguin: penguinOf(step),
      ordered: ofKind(true),
      bySemaphore: ofKind(false),
    };
  });
  return [
    { name: `${run.name}/${file}.bin`, data: Buffer.concat(words) },
    { name: `${run.name}/debug_info_asm_${file}.dbg`, data: rowsFile(program.map(({ number }) => number)) },
    { name: `${run.name}/debug_info_backend_${file}.dbg`, data: instructionsFile(known) },
  ];
}

/** The layers above the instructions of all cores; a line of the kernel is one record of each. */
function layerFiles({ cores }: NeuronRun): TarEntry[] {
  const steps = cores.flatMap(({ instructions }) => instructions.map(({ step }) => step));
  const lines = [...new Map(steps.flatMap((step) => (step.line === undefined ? [] : [[step.line, step] as const])))];
  const files = {
    penguin: layerFile(
      'debug_info_hlo.dbg',
      lines.map(([line]) => ({
        number: line,
        name: `%${line}`,
        parents: [line],
        attributes: { kernel_file: '0', kernel_line: String(line) },
      })),
      { files: ['attention.py'] },
    ),
    hlo: layerFile(
      'debug_info_pttf.dbg',
      lines.map(([line, { hlo = '' }]) => ({ number: line, name: hlo, parents: [line] })),
    ),
    pttf: layerFile(
      '',
      lines.map(([line, { layer = '' }]) => ({ number: line, name: layer })),
    ),
  };
  return Object.entries(files).map(([name, data]) => ({ name: `debug_info/debug_info_${name}.dbg_sg000000`, data }));
}

/** By the runtime's names of the engines in a definition. */
const ENGINE_KEYS = ['pe', 'act', 'pool', 'dve', 'sp'];

/** Names of the files of all engines, as a definition lists them. */
const fileNames = Object.fromEntries<unknown>(
  ENGINE_KEYS.flatMap((key, i): (readonly [string, unknown])[] => [
    [`${key}_instr`, `${FILES[i]}.bin`],
    [`${key}_asm_dbg`, [`debug_info_asm_${FILES[i]}.dbg`]],
    [`${key}_dbg`, [`debug_info_backend_${FILES[i]}.dbg`]],
  ]),
);

/** The program of a run. */
export function neuronProgram(run: NeuronRun): Buffer {
  const { cores } = run;
  const graphs = cores.map(({ name }) => name);
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
            ...fileNames,
            var: {
              SB: { type: 'state-buffer', var_id: STATE_VARIABLE },
              ...Object.fromEntries<unknown>(mapped.map(({ name: tensor, variable }) => [tensor, variable])),
              DGETable0: {
                type: 'dge-table',
                list: TABLE.map(({ name: tensor }) => variableOf(tensor)),
                var_id: TENSORS.length + 1,
              },
            },
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
  const instructions = cores.flatMap((core) =>
    ENGINES.flatMap((engine, i) => engineFiles(core, engine, FILES[i] ?? '')),
  );
  return neffBytes([...layerFiles(run), ...entries, ...instructions], { uuid: UUID, hash: HASH, name: PROGRAM });
}
