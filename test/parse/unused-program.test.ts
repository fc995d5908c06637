/** A program that the user names and the format of the input has no use for. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { readProfile } from '../../src/parse/profile.js';
import type { EndRecord } from '../../src/record/record.js';
import { freshPath } from '../support/fresh-path.js';
import { call, task, writeProfile } from '../support/ascend-trace.js';
import { ntff, withFile } from '../support/ntff.js';

const diagnosticsOf = (path: string, program?: string): EndRecord['diagnostics'] => {
  const records = [...readProfile(path, { profile: 0, ...(program === undefined ? {} : { program, force: true }) })];
  return (records.at(-1) as EndRecord).diagnostics;
};

describe('a program that is not used', () => {
  const monitor = freshPath('.jsonl');
  writeFileSync(monitor, '{"neuron_runtime_data": [], "system_data": {"memory_info": {"period": 1, "memory_used_bytes": 5}}}\n');
  const trace = writeProfile([call('Node@launch', 1, 0), task('MatMul', 'AI_CORE', 1, 5, 9)]);
  for (const path of [monitor, trace]) {
    it(`is counted: ${path.slice(path.lastIndexOf('.'))}`, () => {
      const before = diagnosticsOf(path);
      expect(before).to.not.have.property('program-not-used');
      expect(diagnosticsOf(path, 'any.neff')).to.deep.equal({ ...before, 'program-not-used': 1 });
    });
  }

  it('is refused by a device trace where it is no program, and never not used', () => {
    withFile(ntff({}), (path) => {
      expect(diagnosticsOf(path)).to.not.have.property('program-not-used');
      expect(() => diagnosticsOf(path, 'missing.neff')).to.throw();
    });
  });
}); // prettier-ignore
