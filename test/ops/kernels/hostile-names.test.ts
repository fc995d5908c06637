/** Names of kernels that are made to take long: of what patterns begin with, repeated, and no end that they accept. */
import { typeInMemory, isCommunication, kernelKind, smInName } from '../../../src/ops/kernels/kernel-name.js';
import { expect } from 'chai';
import { TENSOR_CORE_RULES, tensorCore } from '../../../src/ops/kernels/tensor-core.js';
import { itSlow } from '../../support/sets.js';

/** Parts of the patterns of the rules that a name can be made of. */
const PARTS = [
  ...new Set(TENSOR_CORE_RULES.flatMap(({ pattern }) => pattern.source.match(/[A-Za-z][A-Za-z0-9_]{2,}/g) ?? [])),
];

/** Characters of a name that rules see. */
const LOOKED_AT = 16 * 1024;

const factsOf = (name: string): unknown[] => {
  const kernel = { name, short: name };
  return [kernelKind(kernel), isCommunication(kernel), tensorCore(name, 'sm80'), typeInMemory(name), smInName(name)];
};

function expectSameFacts(parts: readonly string[]): void {
  expect(parts.length).to.be.above(10);
  for (const part of parts) {
    const name = `${`${part}_`.repeat(Math.ceil(2 ** 20 / part.length))}!`;
    expect(factsOf(name), part).to.deep.equal(factsOf(name.slice(0, LOOKED_AT)));
  }
}

describe('names of megabytes', () => {
  it('are judged by their first characters, however they go on', () => {
    expectSameFacts(PARTS.filter((_, i) => i % 5 === 0));
  });

  itSlow('are judged by their first characters, whatever they repeat', () => {
    expectSameFacts(PARTS);
  });
});
