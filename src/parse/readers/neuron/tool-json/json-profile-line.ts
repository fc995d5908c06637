/** The profile line of a file: tool, length of the capture, cores, facts. */
import { coreOfInstance } from '../../../../record/neuron/neuron-cores.js';
import { HEADER_FACTS, TOOL_FACTS, type FieldName } from '../../../../record/neuron/tool-fields.js';
import { neuronDevice, knownFacts, profileRecord } from '../profile-record.js';
import type { Device, Labels, ProfileRecord } from '../../../../record/record.js';
import { fileNameOf } from '../../../files.js';
import type { ReadOptions } from '../../../reader.js';
import type { TableClock } from './json-clock.js';
import type { SubgraphCores } from './subgraph-cores.js';
import { numberOf, textOf, type ToolRow } from './table-row.js';
import type { ToolFile } from './table-scan.js';

export function profileLine(
  file: ToolFile,
  clock: TableClock,
  cores: SubgraphCores,
  format: string,
  options: ReadOptions,
): ProfileRecord {
  const version =
    textOf(file.row('profile_info')['profiler_version']) ?? textOf(file.row('summary')['profiler_version']);
  return profileRecord(format, options, {
    tool: version === null ? null : `neuron-profile ${version}`,
    dur: durationOf(file, clock),
    devices: cores.all.map((id) => device(id, file)),
    facts: factsOf(file),
  });
}

/** Total time of the summary in whole picoseconds; null when unknown. */
function totalTimePs(file: ToolFile): number | null {
  const seconds = numberOf(file.row('summary')['total_time']);
  return seconds === null ? null : Math.round(seconds * 1e12);
}

function durationOf(file: ToolFile, clock: TableClock): number | null {
  const ps = totalTimePs(file);
  if (ps !== null) return Math.floor(ps / 1000);
  const last = numberOf(file.row('metadata')['last_hw_timestamp']);
  const first = numberOf(file.row('metadata')['first_hw_timestamp']) ?? 0;
  return last === null ? null : Math.floor((last - first) * clock.scale + 1e-4);
}

function device(id: number, file: ToolFile): Device {
  const known = neuronDevice(id, coreOfInstance(textOf(file.row('summary')['instance_type'])));
  const metadata = file.row('metadata');
  return {
    ...known,
    clockHz: hertz(metadata['pe_clock_freq']) ?? known.clockHz,
    memBytesPerS: numberOf(metadata['hbm_ddr_bandwidth']) ?? known.memBytesPerS,
  };
}

/** Clocks of the metadata are in GHz. */
function hertz(cell: unknown): number | null {
  const gigahertz = numberOf(cell);
  return gigahertz === null ? null : Math.round(gigahertz * 1e9);
}

/** Base name of a file: paths of the machine must not leak. */
const baseNameOf = (cell: unknown): string | null => {
  const path = textOf(cell);
  return path === null ? null : textOf(fileNameOf(path));
};

type Fact = string | number | null;

const factsIn = (row: ToolRow, names: readonly FieldName[]): Record<string, Fact> =>
  Object.fromEntries(names.map(([key, fact]) => [fact, isDigits(row[key]) ? numberOf(row[key]) : textOf(row[key])]));

/** Sizes and counts are texts here; a hash of digits alone has more of them. */
const isDigits = (cell: unknown): boolean => typeof cell === 'string' && /^\d{1,15}$/.test(cell);

function versionOf(header: ToolRow): string | null {
  const [major, minor] = [textOf(header['major_version']), textOf(header['minor_version'])];
  return major === null || minor === null ? null : `${major}.${minor}`;
}

function factsOf(file: ToolFile): Labels {
  const summary = file.row('summary');
  const metadata = file.row('metadata');
  const info = file.row('profile_info');
  const neff = file.row('neff_header');
  return knownFacts({
    instanceType: textOf(summary['instance_type']),
    runtimeVersion: textOf(summary['runtime_version']),
    driverVersion: textOf(summary['driver_version']),
    collectivesVersion: textOf(summary['collectives_version']),
    compilerVersion: textOf(summary['compiler_version']),
    totalTimePs: totalTimePs(file),
    peRows: numberOf(metadata['pe_num_rows']),
    peCols: numberOf(metadata['pe_num_cols']),
    peClockHz: hertz(metadata['pe_clock_freq']),
    clockHz: hertz(metadata['pe_clock_others']),
    dmaBytesPerS: numberOf(metadata['dma_ddr_bandwidth']),
    hbmBytesPerS: numberOf(metadata['hbm_ddr_bandwidth']),
    cores: numberOf(metadata['num_physical_cores']),
    ...factsIn(neff, HEADER_FACTS),
    neffVersion: versionOf(neff),
    model: baseNameOf(neff['network_name']) ?? baseNameOf(info['neff_name']),
    ...factsIn(info, TOOL_FACTS),
    ntffVersion: numberOf(metadata['ntff_version']),
    capture: baseNameOf(info['ntff_filename']),
    simulation: metadata['is_simulation'] === true ? 'yes' : null,
  });
}
