/** All profiles of inputs at once, as the tests look at them. */
import { findProfiles, type FoundProfile } from '../../src/parse/find.js';
import { UserError } from '../../src/record/errors.js';

export async function foundIn(inputs: readonly string[]): Promise<{ profiles: FoundProfile[]; failures: UserError[] }> {
  const [profiles, failures]: [FoundProfile[], UserError[]] = [[], []];
  for await (const found of findProfiles(inputs)) {
    if (found instanceof UserError) failures.push(found);
    else profiles.push(found);
  }
  return { profiles, failures };
}
