/** Our own rules for oxlint. */

const HINT = 'a list of any length is no list of arguments: they come from the stack; see containers/element.ts';
const METHODS = ['push', 'unshift', 'splice', 'apply'];

/** Calls that take one argument an entry: `Math.max(...list)`, `list.push(...more)`. */
const noSpreadList = {
  create: (context) => ({
    CallExpression(node) {
      const { callee } = node;
      if (callee.type !== 'MemberExpression') return;
      const takesMany = ['Math', 'String'].includes(callee.object.name) || METHODS.includes(callee.property.name);
      const spread = takesMany ? node.arguments.find(({ type }) => type === 'SpreadElement') : undefined;
      if (spread !== undefined) context.report({ node: spread, message: HINT });
    },
  }),
};

export default { meta: { name: 'house' }, rules: { 'no-spread-list': noSpreadList } };
