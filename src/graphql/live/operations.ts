import { createComplexityRule } from '@pothos/plugin-complexity';
import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  getNamedType,
  getOperationAST,
  OperationTypeNode,
  parse,
  specifiedRules,
  type ValidationContext,
  validate,
} from 'graphql';
import { badInput, LIMITS, TOKENS_MAX } from '../builder.ts';
import { schema } from '../schema.ts';

/** What somebody asks to watch, checked in full before anything is made for them. */
export interface AskedOperation {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
}

/** Errors of one document that are told. */
const ERRORS_MAX = 5;

/** What to execute for the operation, or why it is not. */
export function readSubscription(
  { query, operationName, variables }: AskedOperation,
  contextValue: object,
): ExecutionArgs | readonly GraphQLError[] {
  const document = parsed(query);
  if (document instanceof GraphQLError) return [document];
  const variableValues = variables ?? {};
  const limits = createComplexityRule({
    context: contextValue,
    variableValues,
    ...(operationName === undefined ? {} : { operationName }),
    maxComplexity: LIMITS.complexity,
    maxDepth: LIMITS.depth,
    maxBreadth: LIMITS.breadth,
  });
  // The limits are checked on what is known to be sound.
  const errors = [[...specifiedRules, noConnections], [limits]].reduce<readonly GraphQLError[]>(
    (found, rules) => (found.length > 0 ? found : validate(schema, document, rules, { maxErrors: ERRORS_MAX })),
    [],
  );
  if (errors.length > 0) return errors;
  const operation = getOperationAST(document, operationName);
  if (operation === null || operation === undefined) return [badInput('name one of the operations of the document')];
  if (operation.operation !== OperationTypeNode.SUBSCRIPTION)
    return [badInput(`a ${operation.operation} is sent by POST; only subscriptions are asked for here`)];
  return { schema, document, operationName, variableValues, contextValue };
}

function parsed(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query, { maxTokens: TOKENS_MAX });
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** Pages of a connection are read from the database for each one who asks: that is not done again and again for all who watch. */
function noConnections(context: ValidationContext): ASTVisitor {
  let isSubscription = false;
  return {
    Document: ({ definitions }) => {
      isSubscription = definitions.some(
        (node) => 'operation' in node && node.operation === OperationTypeNode.SUBSCRIPTION,
      );
    },
    Field: (node) => {
      const type = context.getType();
      if (!isSubscription || type === null || type === undefined || !getNamedType(type).name.endsWith('Connection'))
        return;
      context.reportError(badInput(`"${node.name.value}" cannot be asked for in a subscription`));
    },
  };
}
