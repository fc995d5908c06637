/**
 * Validation of records: users cut, filter and edit them, so that a field may be missing or have the wrong type. Such a
 * field becomes unknown, and the record stays.
 */
import { elementAt } from '../../containers/element.js';
import {
  areValid,
  checksOf,
  isNumber,
  isStated,
  isString,
  isValidIn,
  mended,
  type FieldCheck,
  type RecordField,
  type RecordFields,
} from '../../record/fields/field-types.js';
import { completeKernel, RECORD_FIELDS } from '../../record/fields/record-fields.js';
import type { KernelLine, KernelRecord, ProfileLine } from '../../record/record.js';

/** How a line of each type is checked. */
const CHECKS: ReadonlyMap<unknown, readonly FieldCheck[]> = new Map(
  Object.entries(RECORD_FIELDS).map(([type, fields]) => [type, checksOf(fields)]),
);
const KERNEL_LINE = checksOf(RECORD_FIELDS.kernel);
const WHOLE_KERNEL = checksOf(RECORD_FIELDS.kernel, true);

/**
 * The record: the same object when it is valid, else a copy in which invalid fields are unknown. Fields that no record has
 * may hold anything.
 * @param ordinal of a kernel, in place of a missing id: number of kernels before it, plus one
 * @param onWrong called where a field has another type, rather than none
 */
export const validRecord = (record: RecordFields, ordinal: number, onWrong?: () => void): ProfileLine =>
  record['type'] === 'kernel' ? validKernel(record, ordinal, onWrong) : validLine(record, onWrong);

function validLine(record: RecordFields, onWrong?: () => void): ProfileLine {
  const checks = CHECKS.get(record['type']) ?? [];
  if (areValid(record, checks)) return record as unknown as ProfileLine;
  if (isAnyWrong(record, checks)) onWrong?.();
  const fields = RECORD_FIELDS[record['type'] as keyof typeof RECORD_FIELDS];
  return validCopy(record, fields, checks) as unknown as ProfileLine;
}

function validKernel(record: RecordFields, ordinal: number, onWrong?: () => void): KernelRecord {
  // Instructions of engines have no launch and no ranges, and their lines omit these fields.
  const whole = completeKernel(record as unknown as KernelLine);
  if (areValid(whole as unknown as RecordFields, WHOLE_KERNEL)) return whole;
  if (isAnyWrong(record, KERNEL_LINE)) onWrong?.();
  return kernelOf(record, ordinal);
}

const isAnyWrong = (record: RecordFields, checks: readonly FieldCheck[]): boolean =>
  checks.some((check) => isStated(record[check.name]) && !isValidIn(record, check));

/**
 * The kernel of fields that may be missing or of any type; it has no other fields.
 * @param ordinal its id where there is none
 */
export function kernelOf(fields: RecordFields, ordinal: number): KernelRecord {
  const { id, name, short, step = null } = fields;
  const named: RecordFields = {
    ...{ ...fields, step, id: isNumber(id) ? id : ordinal },
    name: isString(name) ? name : short,
    short: isString(short) ? short : name,
  };
  const known = Object.fromEntries(RECORD_FIELDS.kernel.map((field) => [field.name, named[field.name]]));
  const valid = Object.entries(validCopy(known, RECORD_FIELDS.kernel, WHOLE_KERNEL));
  const stated = Object.fromEntries(valid.filter(([, value]) => value !== undefined));
  return { type: 'kernel', ...stated } as unknown as KernelRecord;
}

/** A copy of a record in which invalid fields are unknown. */
function validCopy(
  record: RecordFields,
  fields: readonly RecordField[],
  checks: readonly FieldCheck[],
): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...record };
  for (const [i, field] of fields.entries())
    if (!isValidIn(record, elementAt(checks, i))) copy[field.name] = mended(record[field.name], field);
  return copy;
}
