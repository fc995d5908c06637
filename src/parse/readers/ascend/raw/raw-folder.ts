/** A folder `PROF_*` with raw data: the paths of its files, and what its JSON and logs say about devices and clocks. */
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../../../record/errors.js';
import type { Device } from '../../../../record/record.js';
import { elementAt } from '../../../../containers/element.js';
import type { NumberColumn } from '../../../../containers/numeric-column.js';
import { shiftToFirst } from '../../../trace/clocks/trace-clock.js';
import { UNKNOWN_DEVICE } from '../../../trace/trace.js';
import { firstBytes, namesIn, readJsonFile } from '../../../files.js';
import { entriesOf, fieldOf } from '../../../json/json-value.js';
import { ASCEND_INFO, ASCEND_RAW } from '../ascend-files.js';
import { DEVICE, DICTIONARIES, FRAMEWORK, HOST, type StructureLayout } from './layouts.js';

/** Size limits of JSON files and of logs, in bytes. */
const [LARGEST, LARGEST_LOG] = [4 * 1024 * 1024, 64 * 1024];

const HOST_FOLDER = 'host';
const DEVICE_FOLDER = /^device_(\d+)$/;

/**
 * Whether a file is the one through which a raw folder is read: the host's, or if it is missing, that of the first device.
 */
export function isRawInfo(path: string, folder: string): boolean {
  if (!ASCEND_RAW.info.test(basename(path))) return false;
  const isHost = basename(folder) === HOST_FOLDER;
  const parent = dirname(folder);
  const devices = namesIn(parent, DEVICE_FOLDER);
  return isHost || (devices[0] === basename(folder) && namesIn(join(parent, HOST_FOLDER), /^info\.json/).length === 0);
}

/** Models by `platform_version`. */
const MODELS: Readonly<Record<string, string>> = {
  0: 'Ascend310',
  1: 'Ascend910A',
  4: 'Ascend310P',
  5: 'Ascend910B',
  7: 'Ascend310B',
  15: 'Ascend950',
};

/** Platform of devices that number tasks across all streams. */
export const SHORT_PLATFORM = '15';

interface DeviceFolder {
  readonly id: number;
  readonly folder: string;
  readonly platform: string;
  readonly device: Device;
  /** Converts a count to a time in ns after the reference; null when the folder does not state the clock. */
  readonly timeOf: ((count: bigint) => number) | null;
}

/**
 * Converts counts to ns: `reference` is the count at the reference time, `nsPerCount` the ns of one count, and `later`
 * an offset in ns.
 */
const scaled = (reference: bigint, nsPerCount: number, later = 0) => (count: bigint): number =>
  Math.round(Number(count - reference) * nsPerCount) + later; // prettier-ignore

export class RawFolder {
  readonly devices: readonly DeviceFolder[];
  /** Converts a time of the driver library to ns since the reference time. */
  readonly timeOf: (count: bigint) => number;
  /** Converts a time of the framework to ns since the reference time. */
  readonly frameworkTimeOf: (count: bigint) => number;
  readonly pid: number;
  readonly #framework: string;
  readonly #reference: bigint;
  readonly #sinceEpoch: bigint | null;
  #first = 0;

  /**
   * @param path the folder `PROF_*`
   * @param name name of the input
   * @throws UserError when no log states the host's clock
   */
  constructor(
    private readonly path: string,
    name: string,
  ) {
    const host = join(path, HOST_FOLDER);
    const found = namesIn(path, DEVICE_FOLDER).map((folder) => join(path, folder));
    const places = [host, ...found];
    this.#framework = join(path, '..', ASCEND_RAW.framework);
    const log = places.map((place) => logIn(place, 'host_start')).find((facts) => facts !== null);
    if (log === undefined) {
      throw new UserError('comes from a folder without host_start.log, which defines its clock', {
        where: name,
        hint: 'copy the whole folder PROF_*',
      });
    }
    const info = places.map((place) => jsonIn(place, /^info\.json/)).find((json) => json !== undefined);
    const megahertz = Number(fieldOf(firstOf(fieldOf(info, 'CPU')), 'Frequency') ?? NaN);
    const nsPerCount = megahertz > 0 ? 1000 / megahertz : 1;
    const startCount = megahertz > 0 ? log.count : log.monotonic;
    // Time between the readings of the two clocks, which were not read at the same time.
    const between = megahertz > 0 ? Math.round(log.between * nsPerCount) : 0;
    this.#reference = log.monotonic;
    this.timeOf = scaled(startCount, nsPerCount, between);
    this.frameworkTimeOf = isCounted(path, megahertz > 0) ? scaled(startCount, nsPerCount) : scaled(log.monotonic, 1);
    const start = places.map((place) => jsonIn(place, /^start_info/)).find((json) => json !== undefined);
    const [begin, monotonic] = [digitsOf(start, 'collectionTimeBegin'), digitsOf(start, 'clockMonotonicRaw')];
    this.#sinceEpoch = begin === null || monotonic === null ? null : begin * 1000n - monotonic;
    this.pid = Number(digitsOf(info, 'pid') ?? NaN);
    this.devices = found.map((folder) => readPeaks(folder, between));
  }

  get startNs(): bigint | null {
    const first = BigInt(Math.round(this.#first));
    return this.#sinceEpoch === null ? null : this.#reference + this.#sinceEpoch + first;
  }

  moveToFirst(starts: readonly NumberColumn[], others: readonly NumberColumn[]): void {
    this.#first += shiftToFirst(starts, others);
  }

  ofHost(names: RegExp): string[] {
    return slicesIn(join(this.path, HOST_FOLDER, 'data'), names);
  }

  ofDevice({ folder }: DeviceFolder, { names }: Pick<StructureLayout, 'names'>): string[] {
    return slicesIn(join(folder, 'data'), names);
  }

  ofFramework({ names }: Pick<StructureLayout, 'names'>): string[] {
    return slicesIn(this.#framework, names);
  }

  /** Settings of the profiler, as it wrote them into sample.json. */
  sample(): ReadonlyMap<string, unknown> {
    const places = [join(this.path, HOST_FOLDER), ...this.devices.map(({ folder }) => folder)];
    const json = places.map((place) => jsonIn(place, /^sample\.json/)).find((found) => found !== undefined);
    return new Map(entriesOf(json));
  }

  /** Kinds of data files whose layout is unknown; a kind is listed once for each file. */
  *unread(): Generator<string> {
    const host = [...Object.values(HOST).map(({ names }) => names), ...Object.values(DICTIONARIES)];
    yield* unreadIn(join(this.path, HOST_FOLDER, 'data'), host);
    for (const { folder } of this.devices) {
      yield* unreadIn(
        join(folder, 'data'),
        Object.values(DEVICE).map(({ names }) => names),
      );
    }
    yield* unreadIn(
      this.#framework,
      Object.values(FRAMEWORK).map(({ names }) => names),
    );
  }

  /** Folder that contains `PROF_*`, with the settings of the framework's profiler. */
  get parent(): string {
    return dirname(this.path);
  }
}

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? (list as readonly unknown[])[0] : undefined);

/** Data files in a folder, without the files that mark a data file as complete. */
const dataIn = (folder: string, names: RegExp): string[] =>
  namesIn(folder, names).filter((name) => !/\.(?:done|complete)$/.test(name));

function jsonIn(folder: string, names: RegExp): unknown {
  const [name] = dataIn(folder, names);
  return name === undefined ? undefined : readJsonFile(join(folder, name), LARGEST);
}

function digitsOf(json: unknown, key: string): bigint | null {
  const value = fieldOf(json, key);
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  return /^\d{1,19}$/.test(text) ? BigInt(text) : null;
}

/** Reads the clocks in a log, which has lines such as `clock_monotonic_raw: 36471130547330`. */
function logIn(folder: string, kind: string): { monotonic: bigint; count: bigint; between: number } | null {
  const [name] = dataIn(folder, new RegExp(`^${kind}\\.log`));
  if (name === undefined) return null;
  const text = firstBytes(join(folder, name), LARGEST_LOG).toString('latin1');
  const stated = (key: string): bigint | null => {
    const digits = new RegExp(`^${key}\\s*[:=]\\s*(\\d{1,19})\\s*$`, 'm').exec(text)?.[1];
    return digits === undefined ? null : BigInt(digits);
  };
  const [monotonic, count] = [stated('clock_monotonic_raw'), stated('cntvct')];
  if (monotonic === null || count === null) return null;
  return { monotonic, count, between: Number(stated('cntvct_diff') ?? 0) };
}

/** Whether the framework's times are counts: as its settings say, otherwise the same as the host's. */
function isCounted(path: string, isHostCounted: boolean): boolean {
  const info = jsonIn(dirname(path), ASCEND_INFO);
  const stated = fieldOf(fieldOf(info, 'start_info'), 'syscnt_enable');
  return typeof stated === 'boolean' ? stated : isHostCounted;
}

function readPeaks(folder: string, between: number): DeviceFolder {
  const id = Number(DEVICE_FOLDER.exec(basename(folder))?.[1]);
  const info = jsonIn(folder, /^info\.json/);
  const facts = firstOf(fieldOf(info, 'DeviceInfo'));
  const number = (key: string): number | null => {
    const value = Number(fieldOf(facts, key) ?? NaN);
    return value > 0 ? value : null;
  };
  const version = fieldOf(info, 'platform_version');
  const platform = typeof version === 'string' || typeof version === 'number' ? String(version) : '';
  const name = MODELS[platform] ?? null;
  const log = logIn(folder, 'dev_start');
  const megahertz = number('hwts_frequency');
  const clock = number('aic_frequency');
  const units = number('ai_core_num');
  return {
    id,
    folder,
    platform,
    device: {
      ...{ id, ...UNKNOWN_DEVICE, vendor: 'huawei', name, arch: name?.toLowerCase() ?? null },
      ...{ units, clockHz: clock === null ? null : clock * 1e6 },
    },
    timeOf: log === null || megahertz === null ? null : scaled(log.count, 1000 / megahertz, between),
  };
}

/** Files in order of their slices; files with a limited size come last. */
function slicesIn(folder: string, names: RegExp): string[] {
  const numberOf = (name: string): number => Number(/(?<!\d)\d+$/.exec(name)?.[0] ?? 0);
  const rank = (name: string): number => Number(name.startsWith('aging'));
  const found = dataIn(folder, names).sort((a, b) => rank(a) - rank(b) || numberOf(a) - numberOf(b));
  return found.map((name) => join(folder, name));
}

function* unreadIn(folder: string, known: readonly RegExp[]): Generator<string> {
  for (const name of dataIn(folder, /^/)) {
    if (!known.some((names) => names.test(name))) yield kindOfFile(name);
  }
}

/**
 * Kind of data in a file's name: `unaging.additional.graph_id_map.slice_0` → `additional.graph_id_map`;
 * `l2_cache.data.0.slice_3` → `l2_cache.data`.
 */
const kindOfFile = (name: string): string =>
  elementAt(name.replace(/^(?:un)?aging\./, '').split(/\.(?=\d|slice_)/), 0).slice(0, 60);
