/** A device trace → its records: sections are read into rows, and sorted rows become lines. */
import { Diagnostics } from '../../../../record/diagnostics.js';
import { UserError } from '../../../../record/errors.js';
import { coreOfInstance } from '../../../../record/neuron-cores.js';
import type { EndRecord, ProfileLine } from '../../../../record/record.js';
import type { Probe, ReadOptions } from '../../../reader.js';
import { findProgram, type Program } from '../neff-file.js';
import { Activities } from './ntff-activities.js';
import { Clock } from './timestamp-clock.js';
import { Lines } from './record-lines.js';
import type { Graph, Section } from './metadata.js';
import { queuesOf } from './queues.js';
import { RowChunks } from './row-chunks.js';
import { MAX_DEVICES } from './rows.js';
import { memoryLines, profileLine } from './source-lines.js';
import { RECORD_BYTES, TraceFile } from './ntff-file.js';
import { Waits } from './waits.js';

/**
 * Records of the trace. Memory: `RowChunks`, and a byte for every instruction of the program.
 * @throws UserError when it cannot be read, or when the NEFF that the user named is of another program
 */
export function* readTrace(format: string, probe: Probe, options: ReadOptions): Generator<ProfileLine> {
  const trace = new TraceFile(probe.path, probe.file);
  let rows: RowChunks | null = null;
  try {
    const capture = new Capture(trace, probe, options);
    const statements = [...capture.statements(format)];
    yield* statements;
    rows = new RowChunks(capture.expectedRows);
    const lines = capture.gather(rows);
    // Not in a nested generator: each level of delegation costs as much as making the record.
    const inOrder = rows.inOrder();
    while (inOrder.next()) yield lines.at(inOrder);
    yield capture.end(statements, lines);
  } finally {
    rows?.dispose();
    trace.close();
  }
}

/** Most rows are made of two records. */
const RECORDS_OF_ROW = 2;

class Capture {
  readonly #diagnostics = new Diagnostics();
  readonly #clock: Clock;
  readonly #sections: readonly Section[];
  /** Numbers of the cores, ascending; their indices are the devices of rows. */
  readonly #cores: readonly number[];
  readonly #program: Program | null;

  constructor(
    private readonly trace: TraceFile,
    probe: Probe,
    private readonly options: ReadOptions,
  ) {
    const { metadata } = trace;
    const clock = Clock.of(metadata.windows);
    if (clock === null) {
      throw new UserError('is a Neuron device trace without an execution of its program', {
        where: probe.file,
        hint: 'capture again',
      });
    }
    this.#clock = clock;
    this.#sections = trace.sections(this.#diagnostics).filter(({ size }) => size > 0);
    const cores = new Set([...metadata.graphs, ...this.#sections].map(({ core }) => core));
    this.#cores = [...cores].filter((core) => core < MAX_DEVICES).sort((a, b) => a - b);
    const { program, force } = options;
    this.#program = findProgram(
      {
        ...(program === undefined ? undefined : { program }),
        ...(force === undefined ? undefined : { force }),
        folder: probe.folder,
        file: probe.file,
        uuid: metadata.uuid ?? '',
        modelFile: metadata.modelFile,
      },
      this.#diagnostics,
    );
  }

  get expectedRows(): number {
    const bytes = this.#sections.reduce((sum, { size }) => sum + size, 0);
    return Math.ceil(bytes / RECORD_BYTES / RECORDS_OF_ROW);
  }

  /** The profile line, and records without a time. */
  *statements(format: string): Generator<ProfileLine> {
    const { profile } = this.options;
    yield profileLine(format, this.options, this.trace.metadata, this.#cores, this.#clock, this.#program);
    for (const tensor of this.#program?.tensors ?? []) yield { type: 'tensor', profile, ...tensor };
    for (const core of this.#cores) yield* memoryLines(profile, core, this.#graphsOf(core));
  }

  /**
   * Reads all sections into rows.
   * @returns the converter of rows to records
   */
  gather(rows: RowChunks): Lines {
    new Activities(this.trace, this.#cores, this.#clock, rows, this.#diagnostics).read(this.#sections);
    const clockHz = coreOfInstance(this.trace.metadata.instanceType)?.clockHz ?? null;
    const cores = this.#cores.map((id) => ({ id, queues: queuesOf(id, this.#graphsOf(id)) }));
    return new Lines(this.options.profile, cores, clockHz === null ? null : new Waits(clockHz), this.#diagnostics);
  }

  end(statements: readonly ProfileLine[], { kernels, copies, samples }: Lines): EndRecord {
    if (kernels + copies === 0) this.#diagnostics.count('no-device-activity');
    const stated = (type: ProfileLine['type']): number => statements.filter((line) => line.type === type).length;
    const counts = { copy: copies, kernel: kernels, sample: samples + stated('sample'), tensor: stated('tensor') };
    return {
      type: 'end',
      profile: this.options.profile,
      counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
      diagnostics: this.#diagnostics.toJSON(),
    };
  }

  #graphsOf(core: number): readonly Graph[] {
    return this.trace.metadata.graphs.filter((graph) => graph.core === core);
  }
}
