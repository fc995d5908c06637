/** The records of a profile, and parts of them; `recordsOf` of rows.ts reads the text of records instead. */
import { basename } from 'node:path';
import { openProfile } from '../../src/parse/find.js';
import { readProfile, type ProfileOptions } from '../../src/parse/profile.js';
import { completeKernel } from '../../src/record/fields/record-fields.js';
import type { EndRecord, KernelRecord, ProfileLine, ProfileRecord } from '../../src/record/record.js';

/** All records of a profile. */
export const recordsOf = (path: string, options: Partial<ProfileOptions> = {}): ProfileLine[] => [
  ...readProfile(path, { profile: 0, ...options }),
];

/** The same of a profile that may be compressed, or a folder. */
export async function openedRecordsOf(path: string, options: Partial<ProfileOptions> = {}): Promise<ProfileLine[]> {
  const { source } = await openProfile(path);
  try {
    return recordsOf(source.path, { name: basename(path), ...options });
  } finally {
    source.dispose();
  }
}

export const kernelsOf = (path: string): KernelRecord[] =>
  recordsOf(path)
    .filter((record) => record.type === 'kernel')
    .map(completeKernel);

/** The record of an expected single kernel. */
export function onlyKernelOf(path: string): KernelRecord {
  const [kernel, ...others] = kernelsOf(path);
  if (kernel === undefined || others.length > 0) throw new Error(`${others.length + 1} kernels, not one`);
  return kernel;
}

export const headerOf = (path: string): ProfileRecord => recordsOf(path)[0] as ProfileRecord;
export const endOf = (path: string): EndRecord => recordsOf(path).at(-1) as EndRecord;
export const diagnosticsOf = (path: string): EndRecord['diagnostics'] => endOf(path).diagnostics;
