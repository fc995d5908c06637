/** Converts a device trace to records: sections are read into rows, the rows are sorted, and become lines. */
import { Diagnostics } from '../../../../record/diagnostics.js';
import { UserError } from '../../../../record/errors.js';
import { coreOfInstance } from '../../../../record/neuron/neuron-cores.js';
import type { EndRecord, ProfileLine } from '../../../../record/record.js';
import { slicesOf, type Probe, type ReadOptions } from '../../../reader.js';
import { endRecord } from '../../../trace/emit.js';
import { findProgram } from '../neff/read-program.js';
import type { NeffProgram } from '../neff/program.js';
import { LoadedPrograms } from './loaded-programs.js';
import { SectionReader } from './section-reader.js';
import { DeviceClock } from './section-rows.js';
import { WaitClock, RecordLines } from './record-lines.js';
import { COLLECTIVE_CORES, type CoreProgram, type TraceSection } from './metadata.js';
import { ENGINES_OF_RECORD, queuesOf } from './queues.js';
import { DerivedSamples } from './derived-samples.js';
import { DeviceRows, MAX_DEVICES, rankWithin, type RowCursor } from './rows.js';
import { countLines, memoryLines, unevenQueueLines, profileLine } from './source-lines.js';
import { RECORD_BYTES, NtffFile } from './ntff-file.js';

/**
 * Records of the trace. Memory: `DeviceRows`, and a byte for every instruction of the program.
 * @throws UserError when it cannot be read, or when the NEFF that the user named belongs to another program
 */
export function* readDeviceTrace(format: string, probe: Probe, options: ReadOptions): Generator<ProfileLine> {
  const trace = new NtffFile(probe.path, probe.file);
  try {
    const capture = new TraceReader(trace, probe, options);
    const statements = [...capture.statements(format)];
    const rows = new DeviceRows(capture.expectedRows);
    const lines = capture.gather(rows);
    const counts = [...capture.counts()];
    const inOrder = rows.inOrder();
    let place = 0;
    let withoutRow: readonly ProfileLine[] = [];
    for (const { from, to } of slicesOf(options.share, inOrder.length)) {
      if (from === 0) yield* (withoutRow = [...statements, ...counts]);
      capture.skipTo(from, place, lines, inOrder);
      // This is not a nested generator, because each level of delegation costs time for each record.
      if (options.derived === true) yield* capture.withDerived(lines, inOrder);
      else for (place = from; place < to && inOrder.next(); place++) yield lines.at(inOrder);
    }
    yield capture.end(withoutRow, lines, rows.hasWork);
  } finally {
    trace.close();
  }
}

/** Most rows come from two records. */
const RECORDS_OF_ROW = 2;

class TraceReader {
  readonly #diagnostics = new Diagnostics();
  readonly #clock: DeviceClock;
  readonly #sections: readonly TraceSection[];
  /** Numbers of the cores in ascending order; rows use their indices as devices. */
  readonly #cores: readonly number[];
  readonly #program: NeffProgram | null;
  #sectionReader: SectionReader | null = null;

  constructor(
    private readonly trace: NtffFile,
    probe: Probe,
    private readonly options: ReadOptions,
  ) {
    const { metadata } = trace;
    const clock = DeviceClock.of(metadata.windows);
    if (clock === null) {
      throw new UserError('is a Neuron device trace without a program execution', {
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

  /** For each core: what its metadata declares and what its sections contain. Call this after `gather`. */
  *counts(): Generator<ProfileLine> {
    const { sections, instanceType } = this.trace.metadata;
    // Collective cores serve all cores of a program; their sections are listed with one of these.
    const collectives = sections.filter(({ group }) => group === COLLECTIVE_CORES);
    for (const core of this.#cores) {
      const counts = {
        events: this.#sectionReader?.events.get(core) ?? null,
        hasNoCollectives:
          collectives.some((section) => section.core === core) && collectives.every(({ size }) => size === 0),
      };
      yield* countLines(this.options.profile, core, this.#graphsOf(core), counts, coreOfInstance(instanceType));
      const { engineBase } = queuesOf(core, this.#graphsOf(core));
      yield* unevenQueueLines(this.options.profile, core, engineBase, this.#sectionReader?.uneven.get(core) ?? []);
    }
  }

  /**
   * Reads all sections into rows.
   * @returns the converter of rows to records
   */
  gather(rows: DeviceRows): RecordLines {
    const output = { clock: this.#clock, rows, diagnostics: this.#diagnostics };
    const programs = this.#cores.map(
      (core) => new LoadedPrograms(this.trace, this.#graphsOf(core), this.#program, this.#diagnostics),
    );
    const reader = new SectionReader(this.trace, this.#cores, programs, output);
    reader.read(this.#sections);
    this.#sectionReader = reader;
    const clockHz = coreOfInstance(this.trace.metadata.instanceType)?.clockHz ?? null;
    const cores = this.#cores.map((id, i) => ({
      id,
      queues: queuesOf(id, this.#graphsOf(id)),
      programs: programs[i] as LoadedPrograms,
    }));
    return new RecordLines(
      this.options.profile,
      cores,
      clockHz === null ? null : new WaitClock(clockHz),
      this.#diagnostics,
      // Derived samples are made from record objects, but do not need counters.
      this.options.onlyWritten,
    );
  }

  /**
   * Skips the rows of other threads.
   * @param to index of the next row whose record this thread makes
   * @param from index of the next row
   */
  skipTo(to: number, from: number, lines: RecordLines, inOrder: RowCursor): void {
    this.#diagnostics.isPaused = true;
    for (let place = from; place < to && inOrder.next(); place++) lines.skip(inOrder);
    this.#diagnostics.isPaused = false;
    // The thread with the first slice reports what was counted while reading.
    if (from === 0 && to > 0) this.#diagnostics.clear();
  }

  /** Lines in order, with the samples derived from them. */
  *withDerived(lines: RecordLines, inOrder: RowCursor): Generator<ProfileLine> {
    const { uneven, unread = 0 } = this.#sectionReader ?? {};
    function* recorded(): Generator<ProfileLine> {
      while (inOrder.next()) yield lines.at(inOrder);
    }
    const derived = new DerivedSamples(this.options.profile, {
      leavesOut: ({ device, stream, queue = 0 }) =>
        uneven?.get(device)?.has(rankWithin((stream ?? 0) % ENGINES_OF_RECORD, queue)) === true,
      hasUnknownSections: unread > 0,
    });
    let all = 0;
    for (const line of derived.among(recorded())) {
      if (line.type === 'sample') all++;
      yield line;
    }
    lines.samples = all;
  }

  /** @param statements records of this thread that come from no row; empty when another thread makes the first slice */
  end(statements: readonly ProfileLine[], { kernels, copies, samples }: RecordLines, hasWork: boolean): EndRecord {
    const isFirst = statements.length > 0;
    if (!isFirst && kernels + copies + samples === 0) this.#diagnostics.clear();
    if (isFirst && !hasWork) this.#diagnostics.count('no-device-activity');
    if (isFirst && !hasWork && this.#sections.length > 0) this.#diagnostics.count('no-instruction-read');
    const countOf = (type: ProfileLine['type']): number => statements.filter((line) => line.type === type).length;
    const counts = { copy: copies, kernel: kernels, sample: samples + countOf('sample'), tensor: countOf('tensor') };
    const known = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    this.options.share?.end(this.#diagnostics.part);
    return endRecord(this.options.profile, known, this.#diagnostics);
  }

  #graphsOf(core: number): readonly CoreProgram[] {
    return this.trace.metadata.graphs.filter((graph) => graph.core === core);
  }
}
