import { FILTER_NAME_CHARS_MAX, forgetFilter, ownFilters, saveFilter } from '../platform/saved-filters.ts';
import { SAVED_FILTERS_MAX, type SavedFilter } from '../store/saved-filters.ts';
import { builder, COST } from './builder.ts';
import { outcomeOf, UserErrorType } from './outcome.ts';
import { TenantType } from './tenant-types.ts';

/** Lists of findings that people keep for themselves. */

const SavedFilterType = builder.objectRef<SavedFilter>('SavedFilter').implement({
  description: 'A list of findings that you gave a name.',
  fields: (t) => ({
    name: t.exposeString('name'),
    query: t.exposeString('query', { description: 'What the address of the list says of it.' }),
  }),
});

builder.objectField(TenantType, 'savedFilters', (t) =>
  t.field({
    type: [SavedFilterType],
    description: `Your own, the oldest first, at most ${SAVED_FILTERS_MAX}. A program with a token has none.`,
    complexity: COST.list,
    resolve: ({ tenantId }, _args, { caller, inTenant }) =>
      ownFilters({ caller, tenantId, inTenant: (work) => inTenant(tenantId, work) }),
  }),
);

builder.relayMutationField(
  'saveFilter',
  {
    description: 'Keeps a list of findings for you, in the place of one of the same name; the oldest makes room.',
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      name: t.string({ required: true, description: `At most ${FILTER_NAME_CHARS_MAX} characters.` }),
      query: t.string({ required: true }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, name, query } }, { admit }) =>
      outcomeOf(saveFilter(admit(tenantId, 'read'), { name, query })),
  },
  {
    outputFields: (t) => ({
      filters: t.field({ type: [SavedFilterType], nullable: true, resolve: ({ value }) => value?.filters }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'forgetFilter',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), name: t.string({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, name } }, { admit }) =>
      outcomeOf(forgetFilter(admit(tenantId, 'read'), name)),
  },
  {
    outputFields: (t) => ({
      filters: t.field({ type: [SavedFilterType], nullable: true, resolve: ({ value }) => value?.filters }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);
