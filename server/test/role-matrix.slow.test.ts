// Every row of the matrix of roles in every column. role-matrix.test.ts tests the covering set, and that the matrix is
// complete.
import { matrixAnswers, testRows } from "./role-matrix-answers.ts";

testRows(matrixAnswers());
