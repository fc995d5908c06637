import { expect } from 'chai';
import { join } from 'node:path';
import ts from 'typescript';
import { RECORD_FIELDS, type RecordField } from '../../../src/record/fields/record-fields.js';
import { ROOT } from '../../support/shared.js';

const PATH = join(ROOT, 'src/record/record.ts');

/** The fields of each type of record, as the compiler knows them. */
function fieldsByType(): Map<string, ts.Symbol[]> {
  const program = ts.createProgram([PATH], { strict: true, module: ts.ModuleKind.NodeNext, noEmit: true });
  const checker = program.getTypeChecker();
  const alias = program
    .getSourceFile(PATH)
    ?.statements.filter(ts.isTypeAliasDeclaration)
    .find(({ name }) => name.text === 'ProfileLine');
  if (alias === undefined) throw new Error('no ProfileLine');
  const union = checker.getTypeAtLocation(alias.name);
  const members = union.isUnion() ? union.types : [union];
  return new Map(
    members.flatMap((member) => {
      const fields = member.getProperties();
      const type = fields.find(({ name }) => name === 'type');
      const literal = type === undefined ? undefined : checker.getTypeOfSymbol(type);
      // Lines of partial answers have several types and no columns.
      return literal?.isStringLiteral() === true ? [[literal.value, fields] as const] : [];
    }),
  );
}

const isOptional = (field: ts.Symbol): boolean => (field.flags & ts.SymbolFlags.Optional) !== 0;

/** Fields that a line of a kernel, a copy or an instruction may lack, although records have them. */
const namesOf = (fields: readonly RecordField[]): string[] => fields.map(({ name }) => name).sort();

describe('the fields of records', () => {
  const byType = fieldsByType();

  it('are of the types that there are', () => {
    expect(Object.keys(RECORD_FIELDS).sort()).to.deep.equal([...byType.keys()].sort());
  });

  for (const [type, fields] of byType) {
    it(`of ${type} are those of its interface`, () => {
      const listed = RECORD_FIELDS[type as keyof typeof RECORD_FIELDS];
      const own = fields.filter(({ name }) => name !== 'type');
      expect(namesOf(listed)).to.deep.equal(own.map(({ name }) => name).sort());
      // What no line lacks is no optional field, since it would be absent when read where it is null.
      const required = own.filter((field) => !isOptional(field)).map(({ name }) => name);
      expect(listed.filter(({ optional }) => optional).map(({ name }) => name)).not.to.include.members(required);
      for (const name of required) expect(listed.find((field) => field.name === name)?.optional, name).to.equal(false);
    });
  }
});
