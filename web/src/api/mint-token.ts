import { graphql } from './graphql.ts';

export const MintMutation = graphql(`
  mutation MintToken($input: MintAccessTokenInput!) {
    mintAccessToken(input: $input) {
      token
      userErrors {
        code
        message
      }
    }
  }
`);
