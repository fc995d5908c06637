/** The compiled program of a profile: tensors and layers. */
import { expect } from 'chai';
import { ProfileSummaries } from '../../../src/prof/summary/summaries.js';
import type { ProgramSummary } from '../../../src/prof/summary/program-sums.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { CAPTURES, realFile } from '../../parse/readers/neuron/tool-json-files.js';
import { neuronProfile, tensor } from '../../support/neuron.js';
import { itShared } from '../../support/shared.js';

function programOf(lines: Iterable<ProfileLine>): ProgramSummary | null {
  const summaries = new ProfileSummaries();
  for (const line of lines) summaries.take(line);
  return summaries.all[0]?.program ?? null;
}

describe('the program in a summary', () => {
  it('has tensors by role; a sum is unknown where one of unknown size is among them', () => {
    const lines = [neuronProfile(), tensor('a', 'input', 8), tensor('b', 'output', 4), tensor('c', 'input', null)];
    expect(programOf(lines)?.tensors.map(({ role, count, bytes, listed }) => [role, count, bytes, listed.length])).to.deep.equal([
      ['input', 2, null, 2],
      ['output', 1, 4, 1],
    ]);
    expect(programOf([neuronProfile()])).to.equal(null);
  }); // prettier-ignore

  it('lists the first of many, and counts all', () => {
    const many = Array.from({ length: 60 }, (_, i) => tensor(`t${i}`, 'weight', 2));
    const [weights] = programOf([neuronProfile(), ...many])?.tensors ?? [];
    expect([weights?.count, weights?.bytes, weights?.listed.length]).to.deep.equal([60, 120, 50]);
  });

  for (const capture of CAPTURES) {
    itShared(`${capture}: is that of the tool's rows`, [capture], ([path = '']) => {
      const { tables, lines } = realFile(path);
      const program = programOf(lines);
      const nodes = (tables['neff_node'] ?? []).filter(({ variable_name: name }) => name !== '');
      for (const [role, type] of [['input', 'IN'], ['output', 'OUT'], ['weight', 'WEIGHT']] as const) {
        const rows = nodes.filter((row) => row['type'] === type);
        const of = program?.tensors.find((each) => each.role === role);
        expect(of?.count).to.equal(rows.length);
        expect(of?.bytes).to.equal(rows.reduce((sum, { size }) => sum + Number(size), 0));
        expect(of?.listed.map(({ name, bytes }) => [name, bytes]).sort()).to.deep.equal(
          rows.map((row) => [row['variable_name'], Number(row['size'])]).sort(),
        );
      }
      const layers = (tables['layer_summary'] ?? []).map((row) => [row['name'], row['start'], Number(row['start']) + Number(row['duration'])]);
      expect(program?.layers).to.equal(layers.length);
      expect(program?.listedLayers.map(({ name, start, end }) => [name, start, end]).sort()).to.deep.equal(layers.sort());
    }); // prettier-ignore
  }
});
