import { expect } from 'chai';
import { argCategory, category, floatingType, promote, promoteOperands } from '../../../src/ops/schema/promotion.js';

const of = (...dtypes: string[]): { shape: number[]; dtype: string }[] =>
  dtypes.map((dtype) => ({ shape: [2], dtype }));

// Expected values: torch.promote_types and torch.result_type of PyTorch.
describe('type promotion', () => {
  it('knows the category of every kind of type', () => {
    expect(['bool', 'uint8', 'long', 'float8_e4m3fn', 'bfloat16', 'complex64', 'mystery'].map(category)).to.deep.equal([
      ...['bool', 'int', 'int', 'float', 'float', 'complex', null],
    ]);
  });
  it('takes the higher category, whatever the width', () => {
    expect(promote(of('int64', 'float16'))).to.equal('float16');
    expect(promote(of('bool', 'uint8'))).to.equal('uint8');
    expect(promote(of('float64', 'complex64'))).to.equal('complex64');
  });
  it('takes the wider type within a category', () => {
    expect(promote(of('float16', 'float32'))).to.equal('float32');
    expect(promote(of('int64', 'int32', 'int8'))).to.equal('int64');
  });
  it('widens two types of one width that cannot hold each other', () => {
    expect(promote(of('float16', 'bfloat16'))).to.equal('float32');
    expect(promote(of('uint8', 'int8'))).to.equal('int16');
  });
  it('lets a Python number raise the category but not the width', () => {
    expect(promoteOperands(of('float16'), ['float'])).to.equal('float16');
    expect(promoteOperands(of('int32'), ['float'])).to.equal('float32');
    expect(promoteOperands(of('bool'), ['int'])).to.equal('int64');
    expect(promoteOperands(of('int8'), ['bool'])).to.equal('int8');
  });
  it('does not know the result of a type it does not know', () => {
    expect(promote(of('mystery', 'float32'))).to.equal(null);
    expect(promote(of('mystery', 'mystery'))).to.equal('mystery');
    expect(promote([])).to.equal(null);
  });
  it('turns whole numbers into floating point where the op computes in it', () => {
    expect(['int64', 'bool', 'float16', null].map(floatingType)).to.deep.equal(['float32', 'float32', 'float16', null]);
  });
  it('puts tensors with dimensions before those without, and numbers last', () => {
    const bare = (dtype: string): { shape: number[]; dtype: string } => ({ shape: [], dtype });
    expect(promoteOperands([...of('float16'), bare('float32')], [])).to.equal('float16');
    expect(promoteOperands([...of('int64'), bare('float16')], [])).to.equal('float16');
    expect(promoteOperands([...of('bfloat16'), bare('float64')], [])).to.equal('bfloat16');
    expect(promoteOperands([...of('int32'), bare('float64')], [])).to.equal('float32'); // a number
    expect(promoteOperands([bare('bfloat16'), bare('float64')], [])).to.equal('bfloat16');
    expect(promoteOperands([bare('int64'), bare('int64')], [])).to.equal('int64');
    expect(promoteOperands(of('int32'), ['float', null])).to.equal('float32');
    expect(promoteOperands(of('mystery'), ['float'])).to.equal('mystery');
    expect(promoteOperands([], ['float'])).to.equal(null);
  });
  it('knows the category of a number whose value is unspecified', () => {
    expect(
      ['int', 'float', 'bool', 'unknown', 'toString'].map((type) => argCategory({ name: '', type })),
    ).to.deep.equal(['int', 'float', 'bool', null, null]);
  });
});
