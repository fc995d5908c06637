/** Reads an input as dparse does, for tests of what it is made of. */
import { findProfiles } from '../../src/parse/find.js';
import { readProfile } from '../../src/parse/profile.js';
import { UserError } from '../../src/record/errors.js';

/** The records of an input, without the name of its file, and the lines of what cannot be read. */
export async function readInput(input: string): Promise<{ records: string[]; lines: string[] }> {
  const records: string[] = [];
  const lines: string[] = [];
  for await (const found of findProfiles([input])) {
    if (found instanceof UserError) lines.push(found.line);
    else {
      for (const record of readProfile(found.source.path, { profile: 0, name: found.source.name, ranges: true }))
        records.push(JSON.stringify(record.type === 'profile' ? { ...record, file: '' } : record));
      found.source.dispose();
    }
  }
  return { records, lines };
}
