/**
 * `--peaks`: a device by its name in the table, or the rates of any other from a JSON file:
 *
 *     {"name": "My part", "arch": "sm90", "bytesPerS": 2e12, "cacheBytes": 5e7,
 *      "peaks": {"matrix": {"bf16": 500e12}, "vector": {"fp32": 40e12}}}
 *
 * Rates in FLOP/s, dense, a fused multiply-add counts as 2; bandwidth in bytes/s. `arch` and `cacheBytes` may be omitted,
 * as may any type whose rate is unknown. `source` says where the rates are from, such as a measurement; `vendor` has the rates
 * that the vendor states, for comparison: only --devices shows them.
 */
import { MATH_TYPES } from '../../ops/kernels/matrix-unit.js';
import { nearest, UsageError, UserError } from '../../record/errors.js';
import { rowOf, peaksOfRow, type Peaks, type StatedRates } from './peaks.js';
import { DEVICES, type Rates } from './devices.js';
import { isObject, type RecordFields } from '../../record/fields/field-types.js';

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The device with that name, as in the table or from a driver; null for one that is not in the table. */
export function deviceNamed(name: string): Peaks | null {
  const row = DEVICES.find((known) => plain(known.name) === plain(name)) ?? rowOf(name, null);
  return row === null ? null : peaksOfRow(row);
}

/**
 * The error for a name that is not in the table, with the nearest names.
 * @param also addition to the message, such as `, and no such file`
 */
export const unknownDevice = (name: string, also = ''): UsageError =>
  new UsageError(`unknown device '${name}'${also}`, suggestion(name));

/** Names that begin with the given one (`H100`: PCIe, NVL, SXM), else the nearest one. */
function suggestion(name: string): string {
  const names = DEVICES.map((known) => known.name);
  const forms = names.filter((known) => plain(name) !== '' && plain(known).startsWith(plain(name)));
  const near = forms.length > 0 || plain(name) === '' ? null : nearest(name, names);
  const candidates = near === null ? forms : [near];
  if (candidates.length === 0) return 'dprof --devices lists them';
  return `did you mean ${candidates.map((known) => `'${known}'`).join(' or ')}?`;
}

/** A lower rate must have the wrong unit. */
const LEAST_RATE = 1e8;

/** Reads the fields of a file's object; every error names file and field. */
class DeviceFile {
  constructor(
    private readonly where: string,
    private readonly fields: RecordFields,
    private readonly path = '',
  ) {}

  fail(field: string, what: string): never {
    return this.refuse(`${this.path}${field} ${what}`);
  }

  refuse(what: string): never {
    const hint = '{"name": …, "bytesPerS": …, "peaks": {"matrix": {"bf16": …}, "vector": {"fp32": …}}}';
    throw new UserError(what, { where: this.where, hint });
  }

  allow(...known: readonly string[]): void {
    for (const field of Object.keys(this.fields)) {
      if (!known.includes(field))
        this.refuse(`unknown field '${this.path}${field}': expected one of ${known.join(', ')}`);
    }
  }

  text(field: string): string | null {
    const value = this.fields[field];
    if (value === undefined) return null;
    return typeof value === 'string' && value !== '' ? value : this.fail(field, 'is not a string');
  }

  number(field: string, least: number, unit: string): number | null {
    const value = this.fields[field];
    if (value === undefined || value === null) return null;
    if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
    return this.fail(field, `is not a number of ${unit} (at least ${least})`);
  }

  object(field: string): DeviceFile | null {
    const value = this.fields[field];
    if (value === undefined) return null;
    return isObject(value)
      ? new DeviceFile(this.where, value, `${this.path}${field}.`)
      : this.fail(field, 'is not an object');
  }

  rates(field: string): Rates {
    const rates = this.object(field);
    if (rates === null) return {};
    rates.allow(...MATH_TYPES);
    const known = MATH_TYPES.map((type) => [type, rates.number(type, LEAST_RATE, 'FLOP/s')] as const);
    return Object.fromEntries(known.filter(([, rate]) => rate !== null));
  }
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError('is not JSON', { where, hint: '--peaks takes a name of --devices or a JSON file' });
  }
}

/** @throws UserError naming `where` and the field that is missing or invalid */
export function parseDevice(text: string, where: string): Peaks {
  const value = parse(text, where);
  const file = new DeviceFile(where, isObject(value) ? value : {});
  if (!isObject(value)) return file.refuse('is not an object');
  file.allow('name', 'arch', 'bytesPerS', 'cacheBytes', 'peaks', 'source', 'vendor');
  const peaks = file.object('peaks') ?? file.fail('peaks', 'is missing');
  const source = file.text('source');
  const vendor = file.object('vendor');
  return {
    name: file.text('name') ?? file.fail('name', 'is missing'),
    origin: 'given',
    source: source === null ? where : `${source} (${where})`,
    arch: file.text('arch'),
    bytesPerS: file.number('bytesPerS', LEAST_RATE, 'bytes/s') ?? file.fail('bytesPerS', 'is missing'),
    cacheBytes: file.number('cacheBytes', 0, 'bytes'),
    ...ratesOf(peaks),
    ...(source === null ? {} : { isMeasured: true }),
    ...(vendor === null ? {} : { stated: statedBy(vendor) }),
  };
}

function ratesOf(peaks: DeviceFile): Pick<Peaks, 'matrix' | 'vector'> {
  peaks.allow('matrix', 'vector');
  return { vector: peaks.rates('vector'), matrix: peaks.rates('matrix') };
}

/** The rates that the vendor states. */
function statedBy(vendor: DeviceFile): StatedRates {
  vendor.allow('name', 'bytesPerS', 'peaks');
  return {
    name: vendor.text('name') ?? vendor.fail('name', 'is missing'),
    bytesPerS: vendor.number('bytesPerS', LEAST_RATE, 'bytes/s'),
    ...ratesOf(vendor.object('peaks') ?? vendor.fail('peaks', 'is missing')),
  };
}
