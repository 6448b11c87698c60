import { parseDomFromString } from '@node-saml/node-saml/lib/xml.js';

/** Reading XML by namespace and name, through the parser that node-saml uses, so that both see the same. */

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';

const ELEMENT_NODE = 1;
const TEXT_NODE = 3;

interface XmlNode {
  nodeType: number;
  nextSibling: XmlNode | null;
}

/** What is used of a DOM element. */
export interface XmlElement extends XmlNode {
  namespaceURI: string | null;
  localName: string;
  firstChild: XmlNode | null;
  textContent: string | null;
  getAttribute(name: string): string | null;
  getElementsByTagNameNS(namespace: string, name: string): { length: number; item(index: number): XmlElement | null };
  toString(): string;
}

/** The root element of a well-formed document. Rejects for anything else. */
export async function parseXml(xml: string): Promise<XmlElement> {
  const document = (await parseDomFromString(xml)) as unknown as { documentElement: XmlElement };
  return document.documentElement;
}

export function is(element: XmlElement, namespace: string, name: string): boolean {
  return element.namespaceURI === namespace && element.localName === name;
}

/** Its children of that name. */
export function children(element: XmlElement | undefined, namespace: string, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (let node = element?.firstChild ?? null; node !== null; node = node.nextSibling)
    if (node.nodeType === ELEMENT_NODE && is(node as XmlElement, namespace, name)) found.push(node as XmlElement);
  return found;
}

/** All below it of that local name, whatever the namespace: for what must not be there twice. */
export function descendants(element: XmlElement, name: string): XmlElement[] {
  const list = element.getElementsByTagNameNS('*', name);
  return Array.from({ length: list.length }, (_, index) => list.item(index)).filter((item) => item !== null);
}

/** An attribute without namespace; empty where it is not there. */
export function attribute(element: XmlElement | undefined, name: string): string {
  return element?.getAttribute(name) ?? '';
}

/** The text of an element that holds nothing but text. */
export function textOf(element: XmlElement | undefined): string | undefined {
  if (element === undefined) return undefined;
  for (let node = element.firstChild; node !== null; node = node.nextSibling)
    if (node.nodeType !== TEXT_NODE) return undefined;
  return element.textContent ?? '';
}
