import assert from "node:assert/strict";
import test from "node:test";

import { figuresOf, figuresShown } from "./format.js";

test("supposed figures are read as people write them, and shown so again", () => {
  const read = [
    ["cbs.aliquota: 8,80", "cbs.aliquota:8.80"],
    ["cbs.aliquota = 8,8 ; ibs.aliquota:0,1;", "cbs.aliquota:8.8,ibs.aliquota:0.1"],
    ["cbs.aliquota:8.80,ibs.aliquota:0.10", "cbs.aliquota:8.80,ibs.aliquota:0.10"],
    ["icms.transicao.proporcao:90", "icms.transicao.proporcao:90"],
    ["  ", ""],
  ];
  for (const [typed, sent] of read) {
    assert.equal(figuresOf(typed), sent, typed);
    assert.equal(figuresOf(figuresShown(sent)), sent, typed);
  }
  assert.equal(figuresShown("cbs.aliquota:8.80,ibs.aliquota:0.1"), "cbs.aliquota:8,80; ibs.aliquota:0,1");
  assert.equal(figuresOf(undefined), "");
});
